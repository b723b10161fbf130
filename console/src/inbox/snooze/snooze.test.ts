import { expect, test } from "vitest";
import { item } from "../../testing/item";
import { choicesFor, isSnoozed, maySnooze, NEAR, snooze, wake } from "./snooze";

const HOUR = 3_600_000;
const now = Date.parse("2026-11-16T12:00:00Z");
const at = (milliseconds: number) => new Date(milliseconds).toISOString();

test("a snoozed row comes back at its time", () => {
  const row = item("a");
  const snoozes = snooze({}, [row], now + HOUR, now);
  expect(isSnoozed(row, snoozes, now)).toBe(true);
  expect(isSnoozed(row, snoozes, now + HOUR - 1)).toBe(true);
  expect(isSnoozed(row, snoozes, now + HOUR)).toBe(false);
  expect(isSnoozed(item("b"), snoozes, now)).toBe(false);
});

test("it always comes back when its deadline is near, whatever was chosen", () => {
  const row = item("a", { due_at: at(now + HOUR) });
  const snoozes = snooze({}, [row], now + 24 * HOUR, now);
  expect(isSnoozed(row, snoozes, now)).toBe(true);
  expect(isSnoozed(row, snoozes, now + HOUR - NEAR - 1)).toBe(true);
  expect(isSnoozed(row, snoozes, now + HOUR - NEAR)).toBe(false);
});

test("high risk is never hidden past its deadline, also if the risk rises later", () => {
  const low = item("a", { due_at: at(now + 2 * HOUR) });
  const high = item("a", { due_at: at(now + 2 * HOUR), risk: "high" });
  expect([maySnooze(high, now + HOUR, now), maySnooze(high, now + 3 * HOUR, now)]).toEqual([true, false]);
  expect(maySnooze(low, now + 3 * HOUR, now)).toBe(true);
  expect(choicesFor([high], now).map((choice) => choice.label)).toEqual(["1 hour"]);
  expect(choicesFor([item("b"), high], now).length).toBe(1);
  expect(choicesFor([low], now).length).toBe(4);
  const snoozes = snooze({}, [low], now + 3 * HOUR, now);
  expect([isSnoozed(low, snoozes, now), isSnoozed(high, snoozes, now)]).toEqual([true, false]);
  expect(choicesFor([item("c", { due_at: at(now + NEAR) })], now)).toEqual([]);
});

test("another revision comes back at once, and so does what is woken", () => {
  const row = item("a");
  const snoozes = snooze({}, [row], now + HOUR, now);
  expect(isSnoozed(item("a", { revision: 2 }), snoozes, now)).toBe(false);
  expect(isSnoozed(row, wake(snoozes, ["a"]), now)).toBe(false);
  expect(Object.keys(snooze(snoozes, [item("b")], now + 9 * HOUR, now + 2 * HOUR))).toEqual(["b"]);
});
