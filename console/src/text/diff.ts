// The difference between two packets or actions, by meaning: one change for each value, by its pointer.

import type { Json } from "../api/types";
import { valueText } from "./text";

export interface Change {
  pointer: string;
  before: Json | undefined;
  after: Json | undefined;
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const escape = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Returns every value that differs, in the order of the newer document. */
export function difference(before: Json | undefined, after: Json | undefined, pointer = ""): Change[] {
  if (before !== undefined && after !== undefined) {
    if (isObject(before) && isObject(after)) {
      const names = [...Object.keys(after), ...Object.keys(before).filter((name) => !(name in after))];
      return names.flatMap((name) => difference(before[name], after[name], `${pointer}/${escape(name)}`));
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      const indexes = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index);
      return indexes.flatMap((index) => difference(before[index], after[index], `${pointer}/${index}`));
    }
  }
  return isSame(before, after) ? [] : [{ pointer, before, after }];
}

/** Compares two JSON values; the order of members does not count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && isSame(one[name], other[name]));
}

export interface Segment {
  text: string;
  changed: boolean;
}

const WORDS = /\s+|[^\s]+/g;
const MAX_WORDS = 400;

/** Marks the words that differ between two texts. Long texts are compared as a whole. */
export function words(before: string, after: string): { before: Segment[]; after: Segment[] } {
  const a = before.match(WORDS) ?? [];
  const b = after.match(WORDS) ?? [];
  if (a.length > MAX_WORDS || b.length > MAX_WORDS) {
    return { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
  }
  const lengths = table(a, b);
  const left: Segment[] = [];
  const right: Segment[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      append(left, a[i++] ?? "", false);
      append(right, b[j++] ?? "", false);
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      append(left, a[i++] ?? "", true);
    } else {
      append(right, b[j++] ?? "", true);
    }
  }
  return { before: left, after: right };
}

const at = (lengths: number[][], i: number, j: number) => lengths[i]?.[j] ?? 0;

/** The lengths of the longest common endings. */
function table(a: string[], b: string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row) row[j] = a[i] === b[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function append(segments: Segment[], text: string, changed: boolean): void {
  const last = segments.at(-1);
  if (last && last.changed === changed) last.text += text;
  else segments.push({ text, changed });
}

/** Returns a changed value as text, or nothing where there is none. */
export function changeText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : valueText(value);
}
