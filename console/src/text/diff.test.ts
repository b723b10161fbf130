import { describe, expect, test } from "vitest";
import { difference, isSame, words } from "./diff";

describe("the difference of two documents", () => {
  test("names each value by its pointer", () => {
    const before = { goal: "a", list: [1, 2], payload: { "x/y": 1, gone: true } };
    const after = { goal: "b", list: [1, 3, 4], payload: { "x/y": 2 } };
    expect(difference(before, after)).toEqual([
      { pointer: "/goal", before: "a", after: "b" },
      { pointer: "/list/1", before: 2, after: 3 },
      { pointer: "/list/2", before: undefined, after: 4 },
      { pointer: "/payload/x~1y", before: 1, after: 2 },
      { pointer: "/payload/gone", before: true, after: undefined },
    ]);
  });

  test("tells a number from its text", () => {
    expect(difference({ a: 1 }, { a: "1" })).toHaveLength(1);
  });

  test("is empty for the same value in another order", () => {
    expect(difference({ a: 1, b: [{ c: 2, d: null }] }, { b: [{ d: null, c: 2 }], a: 1 })).toEqual([]);
    expect(isSame({ a: null }, {})).toBe(false);
  });
});

describe("the words that differ", () => {
  const marked = (before: string, after: string) => {
    const show = (side: { text: string; changed: boolean }[]) => side.map((one) => (one.changed ? `[${one.text}]` : one.text)).join("");
    const found = words(before, after);
    return [show(found.before), show(found.after)];
  };

  test("are marked on both sides", () => {
    expect(marked("helm --set tag=2.4.1 --force", "helm --set tag=2.4.2 --atomic")).toEqual([
      "helm --set [tag=2.4.1] [--force]",
      "helm --set [tag=2.4.2] [--atomic]",
    ]);
  });

  test("rebuild both texts", () => {
    const [before, after] = ["one two  three", "two three four\n"];
    const found = words(before, after);
    expect(found.before.map((one) => one.text).join("")).toBe(before);
    expect(found.after.map((one) => one.text).join("")).toBe(after);
  });

  test("of very long texts are not searched for", () => {
    const long = "word ".repeat(5000);
    expect(words(long, `${long}!`).after).toHaveLength(1);
  });
});
