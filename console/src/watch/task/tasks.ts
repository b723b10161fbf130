// The tasks of a list of handoffs.

import type { Handoff } from "../../api/types";
import { isOpen, RISK_ORDER } from "../../handoff/kinds";

export interface TaskRow {
  task: string;
  /** The handoff that the task is at: the newest open one, else the newest. */
  current: Handoff;
  handoffs: number;
}

/** Groups handoffs, newest first, by task. Open tasks come first, those of high risk before the others. */
export function tasksOf(handoffs: Handoff[]): TaskRow[] {
  const rows = new Map<string, TaskRow>();
  for (const handoff of handoffs) {
    const row = rows.get(handoff.task);
    if (!row) rows.set(handoff.task, { task: handoff.task, current: handoff, handoffs: 1 });
    else {
      row.handoffs += 1;
      if (!isOpen(row.current) && isOpen(handoff)) row.current = handoff;
    }
  }
  const since = ({ current }: TaskRow) => Date.parse(current.since ?? current.submitted_at);
  return [...rows.values()].toSorted((one, other) => {
    const open = Number(isOpen(other.current)) - Number(isOpen(one.current));
    if (open !== 0) return open;
    if (!isOpen(one.current)) return since(other) - since(one);
    return RISK_ORDER[one.current.risk] - RISK_ORDER[other.current.risk] || since(one) - since(other);
  });
}

/** Names the party that has the work now. */
export function holderOf({ state, holder, deciders, to, judge, from }: Handoff): string {
  if (state === "claimed") return holder ?? to;
  if (state === "held") return deciders?.join(", ") || "a person";
  if (state === "offered") return to;
  return state === "returned" ? (judge ?? from) : "–";
}
