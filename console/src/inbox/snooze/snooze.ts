// Snooze hides a row from one person in one browser. It changes no clock and writes no event.
// A row comes back at its time, whenever it changes, and always before its deadline.

import type { InboxItem } from "../../api/types";

export interface Snooze {
  until: number;
  /** The revision that was hidden; another one comes back at once. */
  revision: number;
}

export type Snoozes = Record<string, Snooze>;

/** How long before its deadline a row comes back. */
export const NEAR = 15 * 60_000;
const HOUR = 3_600_000;

const due = (item: InboxItem): number => (item.due_at ? Date.parse(item.due_at) : Infinity);

/** Returns whether a row is hidden. */
export function isSnoozed(item: InboxItem, snoozes: Snoozes, now: number): boolean {
  const snooze = snoozes[item.id];
  if (!snooze || now >= snooze.until || snooze.revision !== item.revision) return false;
  return now < due(item) - NEAR && maySnooze(item, snooze.until, now);
}

/** Returns whether a row may be hidden until an instant. High risk never is past its deadline. */
export function maySnooze(item: InboxItem, until: number, now: number): boolean {
  if (now >= due(item) - NEAR) return false;
  return item.risk !== "high" || until <= due(item);
}

export interface Choice {
  label: string;
  until: number;
}

/** The instants that a person chooses from. */
function choices(now: number): Choice[] {
  const at = (days: number, hour: number) => {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    date.setHours(hour, 0, 0, 0);
    return date.getTime();
  };
  const toMonday = (8 - new Date(now).getDay()) % 7 || 7;
  return [
    { label: "1 hour", until: now + HOUR },
    { label: "4 hours", until: now + 4 * HOUR },
    { label: "tomorrow at 9:00", until: at(1, 9) },
    { label: "Monday at 9:00", until: at(toMonday, 9) },
  ];
}

/** Returns the instants until which all of these rows may be hidden. */
export function choicesFor(items: InboxItem[], now: number): Choice[] {
  return choices(now).filter(({ until }) => items.every((item) => maySnooze(item, until, now)));
}

/** Hides rows, and forgets what has come back. */
export function snooze(snoozes: Snoozes, items: InboxItem[], until: number, now: number): Snoozes {
  const kept = Object.entries(snoozes).filter(([, one]) => one.until > now);
  const added = items.map((item) => [item.id, { until, revision: item.revision }] as const);
  return Object.fromEntries([...kept, ...added]);
}

/** Brings rows back. */
export function wake(snoozes: Snoozes, ids: string[]): Snoozes {
  return Object.fromEntries(Object.entries(snoozes).filter(([id]) => !ids.includes(id)));
}
