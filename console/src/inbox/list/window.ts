// The arithmetic of a windowed list: which entries are on the screen, and where.

import { type ListItem, titleOf } from "./item";
import { groupOf, type Sort } from "./order";

export type Entry =
  | { type: "group"; label: string; count: number; top: number; height: number }
  | { type: "row"; item: ListItem; position: number; top: number; height: number };

export interface Sizes {
  row: number;
  /** A row whose title takes two lines. */
  tall: number;
  group: number;
}

const ONE_LINE = 44;

/** Returns whether the title of a row may need two lines, where the list is narrow. */
export const isTall = (item: ListItem): boolean => titleOf(item).length > ONE_LINE;

/** Lays rows out under their headings, each at its place from the top. */
export function layOut(rows: ListItem[], sort: Sort, now: number, sizes: Sizes): Entry[] {
  const entries: Entry[] = [];
  let top = 0;
  let group: Extract<Entry, { type: "group" }> | undefined;
  rows.forEach((item, index) => {
    const label = groupOf(item, sort, now);
    if (group?.label !== label) {
      group = { type: "group", label, count: 0, top, height: sizes.group };
      entries.push(group);
      top += sizes.group;
    }
    group.count += 1;
    const height = isTall(item) ? sizes.tall : sizes.row;
    entries.push({ type: "row", item, position: index + 1, top, height });
    top += height;
  });
  return entries;
}

/** Returns the height of all entries together. */
export function totalHeight(entries: Entry[]): number {
  const last = entries.at(-1);
  return last ? last.top + last.height : 0;
}

/** Returns the entries between two heights, with some more on either side. */
export function visible(entries: Entry[], from: number, to: number, more: number): Entry[] {
  const first = Math.max(0, firstAt(entries, from) - more);
  const last = Math.min(entries.length, firstAt(entries, to) + 1 + more);
  return entries.slice(first, last);
}

/** The index of the last entry that begins at or above a height. */
function firstAt(entries: Entry[], height: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.top ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
