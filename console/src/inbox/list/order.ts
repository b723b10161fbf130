// The order of an inbox: what is due first stands first, and nothing moves by itself.

import type { Handoff } from "../../api/types";
import { RISK_ORDER } from "../../handoff/kinds";
import { isSameDay } from "../../text/time";

export type Sort = "deadline" | "risk" | "oldest";

const due = (handoff: Handoff) => (handoff.due_at ? Date.parse(handoff.due_at) : Infinity);
const since = (handoff: Handoff) => Date.parse(handoff.since ?? handoff.submitted_at);

/** Compares two handoffs. The id comes last, so that the order is total. */
export function compare(sort: Sort): (one: Handoff, other: Handoff) => number {
  const byRisk = (a: Handoff, b: Handoff) => RISK_ORDER[a.risk] - RISK_ORDER[b.risk];
  const byDue = (a: Handoff, b: Handoff) => difference(due(a), due(b));
  const byAge = (a: Handoff, b: Handoff) => difference(since(a), since(b));
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

/** Returns the heading that a handoff stands under. */
export function groupOf(handoff: Handoff, sort: Sort, now: number): string {
  if (sort === "risk") return { high: "High risk", medium: "Medium risk", low: "Low risk" }[handoff.risk];
  if (sort === "oldest") return "Oldest first";
  const at = due(handoff);
  if (at === Infinity) return "No deadline";
  if (at <= now + QUARTER) return "Due within 15 minutes";
  return isSameDay(at, now) ? "Today" : "Later";
}

/** A list on the screen: rows stay where they are until the person asks for the new order. */
export interface Frame {
  /** The rows that are shown, in their order. */
  shown: Handoff[];
  /** The ids of rows that no longer wait. */
  gone: Set<string>;
  /** How many rows wait to be shown. */
  fresh: number;
}

/**
 * Brings new data into a list without moving a row. Rows are updated in place; a row that sorts behind all
 * others is appended; every other new row waits.
 */
export function reconcile(shown: Handoff[], sorted: Handoff[], order: (a: Handoff, b: Handoff) => number): Frame {
  const current = new Map(sorted.map((handoff) => [handoff.id, handoff]));
  if (shown.length === 0) return { shown: sorted, gone: new Set(), fresh: 0 };
  const known = new Set(shown.map((handoff) => handoff.id));
  const kept = shown.map((handoff) => current.get(handoff.id) ?? handoff);
  const gone = new Set(shown.filter((handoff) => !current.has(handoff.id)).map((handoff) => handoff.id));
  const last = kept[kept.length - 1];
  const added = sorted.filter((handoff) => !known.has(handoff.id));
  const behind = added.filter((handoff) => last !== undefined && order(last, handoff) < 0);
  return { shown: [...kept, ...behind], gone, fresh: added.length - behind.length };
}
