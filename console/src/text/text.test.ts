import { describe, expect, test } from "vitest";
import { bytes, pieces, plain, shorten, valueText } from "./text";

describe("characters that a reader does not see", () => {
  test.each([
    ["\u202e", "U+202E"],
    ["\u2066", "U+2066"],
    ["\u200b", "U+200B"],
    ["\u0007", "U+0007"],
    ["\u001b", "U+001B"],
    ["\u00a0", "U+00A0"],
    ["\u{e0041}", "U+E0041"],
    ["\ufeff", "U+FEFF"],
    ["\u2028", "U+2028"],
    ["\u3164", "U+3164"],
  ])("are shown by their code points", (hidden, code) => {
    expect(plain(`a${hidden}b`)).toBe(`a[${code}]b`);
  });

  test("have names", () => {
    expect(pieces("\u202e")).toEqual([{ text: "U+202E", hidden: true, title: "U+202E right-to-left override" }]);
  });

  test("are not line breaks, tabs or letters", () => {
    const text = "one\ntwo\tthree\r\nвосемь עברית 日本 é 👍";
    expect(pieces(text)).toEqual([{ text }]);
  });

  test("are found at both ends and in a row", () => {
    expect(plain("\u200b\u200bx\u200b")).toBe("[U+200B][U+200B]x[U+200B]");
  });
});

test("markup is text", () => {
  expect(pieces("<script>alert(1)</script>")).toEqual([{ text: "<script>alert(1)</script>" }]);
});

test("a text is shortened to whole characters", () => {
  expect(shorten("👍👍👍", 3)).toBe("👍👍👍");
  expect(shorten("👍👍👍👍", 3)).toBe("👍👍…");
  expect(shorten("W".repeat(100_000), 5)).toBe("WWWW…");
});

test("values are written as they are", () => {
  expect(valueText("text")).toBe("text");
  expect(valueText(["a", 1, true])).toBe("a, 1, true");
  expect(valueText({ a: 1 })).toBe('{"a":1}');
  expect(valueText({ a: "x".repeat(90) })).toContain("\n");
  expect(valueText(null)).toBe("null");
});

test("sizes are short", () => {
  expect([12, 214_022, 1_200_000].map(bytes)).toEqual(["12 B", "214 kB", "1.2 MB"]);
});
