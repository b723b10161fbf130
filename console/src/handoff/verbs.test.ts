import { expect, test } from "vitest";
import type { Handoff } from "../api/types";
import { item } from "../testing/item";
import { consequence, needsReason, opensForm } from "./consequence";
import { verbsOf, viewerOf } from "./verbs";

const handoff = (more: Partial<Handoff>) => item("hof_1", more);

test("taking something away from its holder needs a reason", () => {
  expect(needsReason("cancel", handoff({ state: "claimed", holder: "coder" }))).toBe(true);
  expect(needsReason("cancel", handoff({ held_for: ["asked"] }))).toBe(false);
  expect(opensForm("intercept", handoff({ state: "claimed", holder: "coder" }))).toBe(true);
  expect(opensForm("accept", handoff({}))).toBe(false);
});

test("an approval says whether a gate is left", () => {
  expect(consequence("accept", handoff({ held_for: ["asked"] }))).toBe("Offered to coder at once.");
  expect(consequence("accept", handoff({ held_for: ["trigger", "gate:release"] }))).toContain("stays held");
});

test("roles come from the directory", () => {
  const parties = [
    { id: "1", name: "role:docs", kind: "role" as const, members: ["ana"] },
    { id: "2", name: "ana", kind: "human" as const, sends_for: ["bot"] },
  ];
  expect(viewerOf("ana", [], parties)).toEqual({ name: "ana", scopes: [], roles: ["role:docs"], sendsFor: ["bot"] });
});

test("what the exchange allows is shown in the order of likelihood; a verdict has two buttons", () => {
  expect(verbsOf(["cancel", "deny", "edit", "sign_off", "accept", "reject"])).toEqual(["accept", "sign_off", "edit", "reject", "cancel"]);
  expect(verbsOf(["verify", "cancel", "of a later version"])).toEqual(["pass", "fail", "cancel"]);
});
