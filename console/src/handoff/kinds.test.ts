import { describe, expect, test } from "vitest";
import type { Failure, InboxItem } from "../api/types";
import { item } from "../testing/item";
import { dueWords, kindOf, partiesOf, reasonLine } from "./kinds";

const row = (more: Partial<InboxItem>) => {
  const one = item("hof_1", more);
  return `${kindOf(one, "ana")}: ${reasonLine(one, "ana")}`;
};
const failed = (failure: Partial<Failure>, more: Partial<InboxItem> = {}) =>
  row({ failure: { kind: "rejected", n: 7, since: "2026-11-16T12:00:00Z", ...failure }, waits: false, ...more });

describe("a row of the inbox says why it is there", () => {
  test("for what waits", () => {
    expect(row({ causes: [{ reason: "label", by: "rule:money-movement", text: "" }] })).toBe("hold: rule money-movement");
    expect(row({ state: "offered", to: "role:docs" })).toBe("offer: any member of role:docs may claim");
    const asked = { from: "ana", questions: ["q"], question: "Which one?", goal: "Ship it" };
    expect(row({ ...asked, state: "offered" })).toBe("question: about Ship it");
    expect(row({ ...asked, state: "held" })).toBe("question: about Ship it");
    expect(row({ ...asked, state: "offered", blocked: true })).toBe("question: blocks the claim of Ship it");
    expect(row({ state: "offered", rung: 1 })).toBe("escalation: moved on, rung 1");
    expect(row({ state: "returned", returned_by: "coder" })).toBe("return: returned by coder");
    expect(row({ state: "claimed", holder: "ana", steps: { done: 2, left: 3 } })).toBe("mine: you hold it, 2 of 5 done");
  });

  test("for what failed", () => {
    expect(failed({ by: "ben", reason: "Not now" }, { state: "rejected" })).toBe("rejection: by ben: “Not now”");
    expect(failed({ kind: "dead", cause: "declined", by: "coder" }, { state: "dead" })).toBe("dead: declined by coder");
    expect(failed({ kind: "dead", cause: "lapsed", by: "clock" }, { state: "dead" })).toBe("dead: lapsed");
    expect(failed({ kind: "notification_failed", cause: "no_channel" })).toBe("unnotified: no one it is for has a channel");
  });

  test("for what waits although a notification failed: as what waits", () => {
    expect(failed({ kind: "notification_failed" }, { waits: true, state: "offered", to: "ana" })).toBe("offer: offered to you");
  });
});

test("a row says who hands what over", () => {
  const parties = (more: Partial<InboxItem>) => Object.values(partiesOf(item("hof_1", { from: "ana", to: "coder", ...more }), "ana")).join(" to ");
  expect(parties({ state: "held" })).toBe("ana to coder");
  expect(parties({ state: "returned", returned_by: "ben" })).toBe("ben to ana");
  expect(parties({ state: "offered", questions: ["q"], question: "Which one?" })).toBe("coder to ana");
  expect(parties({ state: "claimed", from: "planner", holder: "ana" })).toBe("planner to ana");
});

test("a countdown says what it is for", () => {
  expect(dueWords(item("hof_1", { due_for: "claim" }))).toBe(" left to claim");
  expect(dueWords(item("hof_1", { due_for: "expires" }))).toBe(" left");
  expect(dueWords(item("hof_1"))).toBe(" left");
});
