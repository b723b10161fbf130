import { expect, test } from "vitest";
import { doneOf, steps } from "./progress";

test("progress counts the steps that are done", () => {
  expect(doneOf({ done: 2, left: 3 })).toBe("2 of 5 done");
});

test("steps are in the order of their numbers, whichever was completed first", () => {
  const done = [{ number: 1, text: "Plan" }, { number: 3, text: "Docs", by: "ben" }];
  const left = [{ number: 2, text: "Code" }];
  const words = steps({ done, left }).map((step) => `${step.number} ${step.text} ${step.isDone ? "done" : "left"}`);
  expect(words).toEqual(["1 Plan done", "2 Code left", "3 Docs done"]);
});
