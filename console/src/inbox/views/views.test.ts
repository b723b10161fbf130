import { expect, test } from "vitest";
import { currentView, readViews, removeView, saveView, VIEWS_MAX } from "./views";

test("a view is saved without the open handoff, and replaced under the same name", () => {
  const one = saveView([], " High ", { risk: "high", h: "hof_1" });
  expect(one).toEqual([{ name: "High", filter: { risk: "high" } }]);
  const two = saveView(one, "High", { risk: "high", sort: "oldest" });
  expect(two).toEqual([{ name: "High", filter: { risk: "high", sort: "oldest" } }]);
  expect(saveView(two, "  ", {})).toBe(two);
  expect(removeView(two, "High")).toEqual([]);
});

test("there are at most twenty views", () => {
  let views = saveView([], "0", {});
  for (let count = 1; count < VIEWS_MAX + 5; count += 1) views = saveView(views, String(count), {});
  expect(views.length).toBe(VIEWS_MAX);
});

test("what another version or another program stored is left out", () => {
  const raw = [{ name: "ok", filter: { risk: "low", unknown: 1, h: "hof_1" } }, { name: "", filter: {} }, { name: 7, filter: {} }, null, { name: "no" }];
  expect(readViews(raw)).toEqual([{ name: "ok", filter: { risk: "low" } }]);
  expect(readViews("broken")).toEqual([]);
});

test("the current view is found whatever the order of its parts", () => {
  const views = saveView([], "Risky", { risk: "high", sort: "oldest" });
  expect(currentView(views, { sort: "oldest", risk: "high", h: "hof_2" })?.name).toBe("Risky");
  expect(currentView(views, { risk: "high" })).toBeUndefined();
});
