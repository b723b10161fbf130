import { expect, test } from "vitest";
import { item } from "../testing/item";
import { notificationText } from "./notifications";

test("a notification says what waits and from whom, with at most 200 characters of the goal", () => {
  const text = notificationText(item("hof_1", { goal: `Deploy ${"x".repeat(400)}` }), "ana");
  expect(text.title).toBe("Hold from planner");
  expect(Array.from(text.body)).toHaveLength(200);
});

test("what a gate or a classification protects is not on the screen", () => {
  const gates = [{ name: "release@1.0", factors: [] }];
  expect(notificationText(item("hof_1", { goal: "secret", gates }), "ana").body).toBe("Open the console to read it.");
  expect(notificationText(item("hof_1", { goal: "secret", classification: "INTERNAL" }), "ana").body).not.toContain("secret");
});
