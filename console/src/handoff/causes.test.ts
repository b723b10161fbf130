import { expect, test } from "vitest";
import type { HoldCause } from "../api/types";
import { item } from "../testing/item";
import { causeWords, heldBy } from "./causes";

const cause = (reason: string, by: string): HoldCause => ({ reason, by, text: `held by ${by}` });

test.each([
  ["label", "rule:money-movement", "Held by rule money-movement", "rule money-movement"],
  ["trigger", "trigger:critical_action", "Held by trigger critical_action", "trigger critical_action"],
  ["gate", "gate:release", "Held at gate release", "gate release is not signed"],
  ["action", "holder", "Held for approval of an action", "waits for approval of one action"],
  ["asked", "packet", "Held at the sender’s request", "the packet asks for a person"],
  ["changed", "handoff:hof_01a1ea4d1b447cc1", "Held because it changed", "changed since hof_447cc1"],
  ["confidence", "contract:a@1.0", "Held by the confidence limit", "confidence 62 % is too low"],
  ["label", "earlier_revision", "Held", "held by earlier_revision"],
])("a hold by %s %s is named", (reason, by, badge, words) => {
  const held = item("hof_1", { causes: [cause(reason, by)], confidence: 0.62 });
  expect(heldBy(held)).toBe(badge);
  expect(causeWords(cause(reason, by), held)).toBe(words);
});

test("what is no longer held has no such badge", () => {
  expect(heldBy(item("hof_1", { state: "offered" }))).toBeUndefined();
});
