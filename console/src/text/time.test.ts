import { describe, expect, test } from "vitest";
import { clock, countdown, instant, relative, span } from "./time";

const now = Date.parse("2026-11-16T14:02:11Z");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test("a span has one or two units", () => {
  expect([8 * SECOND, 59 * MINUTE, 2 * HOUR, 2 * HOUR + 5 * MINUTE, 75 * HOUR].map(span)).toEqual([
    "8 s",
    "59 min",
    "2 h",
    "2 h 5 min",
    "3 d",
  ]);
});

describe("a countdown", () => {
  test("shows the last hour to the second", () => {
    expect(countdown(now + 4 * MINUTE + 10 * SECOND, now)).toBe("04:10");
    expect(countdown(now + 7 * HOUR + 41 * MINUTE, now)).toBe("7 h 41 min");
  });

  test("says that it is over", () => {
    expect(countdown(now - 3 * MINUTE, now)).toBe("3 min over");
  });
});

test("a time can be relative to now", () => {
  expect(relative(now - 12 * MINUTE, now)).toBe("12 min ago");
  expect(relative(now + 3 * HOUR, now)).toBe("in 3 h");
  expect(relative(now - SECOND, now)).toBe("just now");
});

test("a time can be in UTC, with the day where it is another one", () => {
  expect(clock(now, true)).toBe("14:02:11Z");
  expect(instant(now - HOUR, now, "utc")).toBe("13:02:11Z");
  expect(instant(now - 48 * HOUR, now, "utc")).toBe("2026-11-14 14:02:11Z");
  expect(instant(now - MINUTE, now, "relative")).toBe("1 min ago");
});
