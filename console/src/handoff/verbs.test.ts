import { describe, expect, test } from "vitest";
import type { Handoff, Scope } from "../api/types";
import { item } from "../testing/item";
import { consequence, needsReason, opensForm } from "./consequence";
import { allowedVerbs, verbsOf, viewerOf, type Viewer } from "./verbs";

const PERSON: Scope[] = ["submit", "receive", "read", "decide", "verify"];
const viewer = (more: Partial<Viewer> = {}): Viewer => ({ name: "ana", scopes: PERSON, roles: [], sendsFor: [], ...more });
const handoff = (more: Partial<Handoff>) => item("hof_1", more);
const verbs = (more: Partial<Handoff>, who: Partial<Viewer> = {}) => allowedVerbs(handoff(more), viewer(who)).join(" ");
const gate = { name: "release@1.0", factors: [{ name: "cso", roles: ["role:cso"], needed: 1 }] };

describe("what a person may decide", () => {
  test("about a hold", () => {
    expect(verbs({ held_for: ["asked"] })).toBe("accept edit reject reroute intercept ask cancel");
  });

  test("about what they sent: no approval of their own", () => {
    expect(verbs({ held_for: ["asked"], from: "ana" })).toBe("edit reroute intercept cancel");
    expect(verbs({ held_for: ["asked"], from: "role:ops" }, { roles: ["role:ops"] })).toBe("edit reroute intercept cancel");
  });

  test("about an action that they asked approval for: nothing that decides it", () => {
    const action = { id: "dec_1", digest: "sha256:01" };
    expect(verbs({ held_for: ["action"], action, holder: "ana" })).toBe("reroute cancel");
    expect(verbs({ held_for: ["action"], action, holder: "coder" })).toBe("accept edit reject reroute intercept ask cancel");
  });

  test("about a hold with named deciders: only those of every name", () => {
    const held = { held_for: ["label"], deciders: ["role:engineers", "ana"] };
    expect(verbs(held, { roles: ["role:engineers"] })).toBe("accept edit reject reroute intercept ask cancel");
    expect(verbs(held)).toBe("edit reroute cancel");
    expect(verbs({ ...held, held_for: ["action"], action: { id: "dec_1", digest: "sha256:01" } })).toBe("reroute cancel");
  });

  test("about a question on a hold: sender and holder answer, the person who asked may still decide", () => {
    const asked = { held_for: ["action"], action: { id: "dec_1", digest: "sha256:01" }, holder: "coder", questions: ["qst_1"] };
    expect(verbs(asked)).toBe("accept edit reject reroute intercept ask cancel");
    expect(verbs({ ...asked, holder: "ana" })).toBe("answer reroute cancel");
    expect(verbs({ held_for: ["asked"], from: "ana", questions: ["qst_1"] })).toBe("answer edit reroute intercept cancel");
  });

  test("at a gate: signing needs the role, and no one intercepts", () => {
    const held = { held_for: ["gate:release"], gates: [gate] };
    expect(verbs(held)).toBe("edit reject reroute ask cancel");
    expect(verbs(held, { roles: ["role:cso"] })).toBe("sign_off edit reject reroute ask cancel");
    expect(verbs({ ...held, held_for: ["trigger", "gate:release"] })).toBe("accept edit reject reroute ask cancel");
  });

  test("at a gate where they have signed: not again", () => {
    const signed = { ...gate, factors: [{ ...gate.factors[0]!, needed: 2, signed: [{ by: "ana", at: "2026-11-16T12:00:00Z" }] }] };
    expect(verbs({ held_for: ["gate:release"], gates: [signed] }, { roles: ["role:cso"] })).toBe("edit reject reroute ask cancel");
  });

  test("about an offer: only its receiver claims", () => {
    expect(verbs({ state: "offered", to: "ana" })).toBe("claim decline ask edit reroute cancel");
    expect(verbs({ state: "offered", to: "role:docs" }, { roles: ["role:docs"] })).toBe("claim decline ask edit reroute cancel");
    expect(verbs({ state: "offered" })).toBe("edit reroute intercept cancel");
    expect(verbs({ state: "offered", to: "ana", blocked: true })).toBe("decline ask edit reroute cancel");
    expect(verbs({ state: "offered", to: "role:docs", declined_by: ["ana"] }, { roles: ["role:docs"] })).toBe(
      "edit reroute intercept cancel",
    );
  });

  test("about a question to them", () => {
    expect(verbs({ state: "offered", from: "ana", questions: ["qst_1"] })).toBe("answer edit reroute intercept cancel");
  });

  test("about a claim: only its holder returns", () => {
    expect(verbs({ state: "claimed", holder: "ana" })).toBe("return release reroute cancel");
    expect(verbs({ state: "claimed", holder: "coder" })).toBe("reroute intercept cancel");
  });

  test("about a return: no one judges their own", () => {
    expect(verbs({ state: "returned", returned_by: "coder" })).toBe("pass fail cancel");
    expect(verbs({ state: "returned", returned_by: "ana" })).toBe("cancel");
  });

  test("about a dead letter: only operators", () => {
    expect(verbs({ state: "dead" })).toBe("");
    expect(verbs({ state: "dead" }, { scopes: [...PERSON, "admin"] })).toBe("redrive discard");
  });

  test("about what is over: nothing", () => {
    for (const state of ["done", "rejected", "cancelled", "discarded", "passed_on"] as const) expect(verbs({ state })).toBe("");
  });

  test("without the scope to decide: only what the sender may", () => {
    expect(verbs({ held_for: ["asked"] }, { scopes: ["read"] })).toBe("");
    expect(verbs({ held_for: ["asked"], from: "ana" }, { scopes: ["submit"] })).toBe("edit reroute cancel");
  });
});

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
