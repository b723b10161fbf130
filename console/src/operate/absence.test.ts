import { expect, test } from "vitest";
import type { Party } from "../api/types";
import { dayOf, deputiesFor, endOf, hasAbsence, isAway, latestDay } from "./absence";

const now = Date.parse("2026-11-16T12:00:00Z");
const person = (name: string, absence?: Party["absence"]): Party => ({ id: name, name, kind: "human", ...(absence ? { absence } : {}) });
const away = { deputy: "ben", from: "2026-11-16T12:00:00Z", until: "2026-11-18T12:00:00Z" };

test("a person is away from the beginning until the end of the absence", () => {
  const ana = person("ana", away);
  const at = (text: string) => [isAway(ana, Date.parse(text)), hasAbsence(ana, Date.parse(text))];
  expect(at("2026-11-16T11:59:59Z")).toEqual([false, true]);
  expect(at("2026-11-16T12:00:00Z")).toEqual([true, true]);
  expect(at("2026-11-18T11:59:59Z")).toEqual([true, true]);
  expect(at("2026-11-18T12:00:00Z")).toEqual([false, false]);
  expect(isAway(person("cem"), now)).toBe(false);
});

test("only other people who are not away can stand in", () => {
  const parties: Party[] = [person("ana"), person("ben"), person("cem", away), { id: "bot", name: "bot", kind: "agent" }];
  expect(deputiesFor("ana", parties, now)).toEqual(["ben"]);
});

test("a day ends when the next one begins, also at the end of a month", () => {
  expect(endOf("2026-11-30")).toBe(new Date(2026, 11, 1).toISOString());
  expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe("2026-01-05");
  expect(Date.parse(endOf(latestDay(now))) - now).toBeLessThanOrEqual(90 * 86_400_000);
});
