// A row of the inbox: what waits or failed, merged per task.

import type { InboxItem } from "../../api/types";

export interface ListItem extends InboxItem {
  /** The other handoffs of the task that are in the inbox. They follow once this one is done. */
  also?: string[];
}

/** Keeps the first item of each task, and names the others of the task in it. */
export function mergeTasks(sorted: InboxItem[]): ListItem[] {
  const tasks = new Map<string, ListItem>();
  for (const item of sorted) {
    const first = tasks.get(item.task);
    if (first) first.also = [...(first.also ?? []), item.id];
    else tasks.set(item.task, { ...item });
  }
  return [...tasks.values()];
}

/** Returns the line that names an item: what is asked, or what the work is for. */
export const titleOf = (item: InboxItem): string => item.question ?? item.goal ?? `Task ${item.task}`;

/** Returns when an item began to wait, or failed. */
export function sinceOf(item: InboxItem): string {
  return item.failure && !item.waits ? item.failure.since : (item.since ?? item.submitted_at);
}
