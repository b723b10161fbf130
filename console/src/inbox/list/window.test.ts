import { expect, test } from "vitest";
import { item } from "../../testing/item";
import { type Entry, layOut, totalHeight, visible } from "./window";

const rows = Array.from({ length: 10_000 }, (_, index) =>
  item(`hof_${index}`, {
    goal: index % 7 === 0 ? "a goal that takes two lines where the list is narrow" : "short",
    risk: (["high", "medium", "low"] as const)[Math.floor(index / 4000)] ?? "low",
  }),
);
const entries = layOut(rows, "risk", 0, { row: 80, tall: 100, group: 28 });
const idOf = (entry: Entry) => (entry.type === "row" ? entry.item.id : entry.label);

test("every row has its place, and nothing overlaps", () => {
  let bottom = 0;
  for (const entry of entries) {
    expect(entry.top).toBe(bottom);
    bottom += entry.height;
  }
  expect(totalHeight(entries)).toBe(bottom);
});

test("scrolling through shows every row once and in order", () => {
  const seen: string[] = [];
  for (let top = 0; top < totalHeight(entries); top += 700) {
    for (const entry of visible(entries, top, top + 800, 8)) {
      const id = idOf(entry);
      if (!seen.includes(id, -60)) seen.push(id);
    }
  }
  expect(seen).toEqual(entries.map(idOf));
});

test("only what is on the screen is drawn", () => {
  expect(visible(entries, 100_000, 100_900, 8).length).toBeLessThan(35);
  expect(visible([], 0, 900, 8)).toEqual([]);
});
