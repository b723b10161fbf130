import { expect, test } from "vitest";
import { item } from "../../testing/item";
import { mergeTasks, sinceOf } from "./item";


test("the handoffs of a task are one row, the first of which stands for it", () => {
  const merged = mergeTasks([item("a", { task: "t" }), item("b"), item("c", { task: "t" }), item("d", { task: "t" })]);
  expect(merged.map(({ id, also }) => [id, also])).toEqual([
    ["a", ["c", "d"]],
    ["b", undefined],
  ]);
});

test("a failure is as old as the failure, unless the handoff waits as well", () => {
  const failure = { kind: "rejected", n: 4, since: "2026-11-16T13:00:00Z" } as const;
  expect(sinceOf(item("a", { failure, waits: false, state: "rejected" }))).toBe("2026-11-16T13:00:00Z");
  expect(sinceOf(item("a", { failure, since: "2026-11-16T12:30:00Z" }))).toBe("2026-11-16T12:30:00Z");
});
