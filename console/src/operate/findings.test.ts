import { expect, test } from "vitest";
import type { Finding } from "../api/operate";
import { commandIn, problems } from "./findings";
import { sectionsFor } from "./sections";

const finding = (state: Finding["state"]): Finding => ({ check: state, state, message: "" });

test("what needs attention is counted, and a sound project has no mark", () => {
  expect(problems([finding("ok"), finding("ok")])).toBeUndefined();
  expect(problems([finding("warning"), finding("ok")])).toBe("1 warning");
  expect(problems([finding("warning"), finding("error"), finding("warning")])).toBe("1 error, 2 warnings");
});

test("the command of a remedy can be copied without its words", () => {
  expect(commandIn("`tasuki doctor --fix` recounts")).toBe("tasuki doctor --fix");
  expect(commandIn("restore a backup")).toBeUndefined();
});

test("tokens and the doctor are for operators", () => {
  expect(sectionsFor(["read", "decide"])).toEqual(["contracts", "gates", "parties", "subscriptions", "dead"]);
  expect(sectionsFor(["admin"])).toContain("tokens");
  expect(sectionsFor(["admin"])).toContain("doctor");
});
