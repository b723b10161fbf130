// The order of an inbox: what is due first stands first, and nothing moves by itself.

import type { InboxItem } from "../../api/types";
import { RISK_ORDER } from "../../handoff/kinds";
import { type ListItem, sinceOf } from "./item";
import { isSameDay } from "../../text/time";

export type Sort = "deadline" | "risk" | "oldest";

const due = (item: InboxItem) => (item.due_at ? Date.parse(item.due_at) : Infinity);
const since = (item: InboxItem) => Date.parse(sinceOf(item));

/** Compares two items. The id comes last, so that the order is total. */
export function compare(sort: Sort): (one: InboxItem, other: InboxItem) => number {
  const byRisk = (a: InboxItem, b: InboxItem) => RISK_ORDER[a.risk] - RISK_ORDER[b.risk];
  const byDue = (a: InboxItem, b: InboxItem) => difference(due(a), due(b));
  const byAge = (a: InboxItem, b: InboxItem) => difference(since(a), since(b));
  const steps = { deadline: [byDue, byRisk, byAge], risk: [byRisk, byDue, byAge], oldest: [byAge, byRisk, byDue] }[sort];
  return (a, b) => {
    for (const step of steps) {
      const result = step(a, b);
      if (result !== 0) return result;
    }
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  };
}

// Two infinities are equal, although their difference is not a number.
const difference = (a: number, b: number) => (a === b ? 0 : a - b);

const QUARTER = 15 * 60_000;

/** Returns the heading that a item stands under. */
export function groupOf(item: InboxItem, sort: Sort, now: number): string {
  if (sort === "risk") return { high: "High risk", medium: "Medium risk", low: "Low risk" }[item.risk];
  if (sort === "oldest") return "Oldest first";
  const at = due(item);
  if (at === Infinity) return "No deadline";
  if (at <= now + QUARTER) return "Due within 15 minutes";
  return isSameDay(at, now) ? "Today" : "Later";
}

/** A list on the screen: rows stay where they are until the person asks for the new order. */
export interface Frame {
  /** The rows that are shown, in their order. */
  shown: ListItem[];
  /** The ids of rows that no longer wait. */
  gone: Set<string>;
  /** How many rows wait to be shown. */
  fresh: number;
}

/**
 * Brings new data into a list without moving a row. Rows are updated in place; a row that sorts behind all
 * others is appended; every other new row waits.
 */
export function reconcile(shown: ListItem[], sorted: ListItem[], order: (a: ListItem, b: ListItem) => number): Frame {
  const current = new Map(sorted.map((item) => [item.id, item]));
  if (shown.length === 0) return { shown: sorted, gone: new Set(), fresh: 0 };
  const known = new Set(shown.map((item) => item.id));
  const kept = shown.map((item) => current.get(item.id) ?? item);
  const gone = new Set(shown.filter((item) => !current.has(item.id)).map((item) => item.id));
  const last = kept[kept.length - 1];
  const added = sorted.filter((item) => !known.has(item.id));
  const behind = added.filter((item) => last !== undefined && order(last, item) < 0);
  return { shown: [...kept, ...behind], gone, fresh: added.length - behind.length };
}
