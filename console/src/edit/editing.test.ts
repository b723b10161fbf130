import { describe, expect, test } from "vitest";
import { formFields, itemText, pairsOf, parseSource, retype, withItemText, withPairs } from "./editing";

describe("a form", () => {
  test("has a field for texts, lists and labelled values, and nothing else", () => {
    const fields = formFields({
      handoff_version: "1.0",
      goal: "g",
      completed: ["a", { text: "b", state: "verified" }],
      payload: [{ label: "Records", value: 3 }],
      context: { node: "22" },
      provenance: { tools: ["x"] },
      confidence: 0.7,
    });
    expect(fields.map((field) => `${field.name} ${field.kind}`)).toEqual(["goal text", "completed list", "payload pairs", "context pairs"]);
  });

  test("keeps the type of a value", () => {
    expect(retype(12, "13")).toBe(13);
    expect(retype(12, "13 pages")).toBe("13 pages");
    expect(retype(12, "")).toBe("");
    expect(retype("12", "13")).toBe("13");
    expect(retype(true, "false")).toBe(false);
    expect(retype(null, "")).toBe(null);
  });

  test("keeps the other members of an item", () => {
    expect(withItemText({ text: "a", state: "verified" }, "b")).toEqual({ text: "b", state: "verified" });
    expect(withItemText("a", "b")).toBe("b");
    expect(itemText({ text: "a" })).toBe("a");
  });

  test("keeps the shape of labelled values", () => {
    const list = [{ label: "a", value: 1 }];
    expect(withPairs(list, pairsOf(list))).toEqual(list);
    const object = { a: 1, b: "x" };
    expect(withPairs(object, pairsOf(object))).toEqual(object);
  });
});

test("the source must be one object", () => {
  expect(parseSource('{"a":1}').document).toEqual({ a: 1 });
  expect(parseSource("[1]").problem).toContain("object");
  expect(parseSource("{").problem).toBeTruthy();
});
