// The filter of the inbox, as it stands in the address.

import type { InboxItem, Risk } from "../api/types";
import { type Kind, KINDS, kindOf } from "../handoff/kinds";
import type { Sort } from "./list/order";

export type View = "mine" | "snoozed" | "done";

export interface Filter {
  view?: View;
  kind?: Kind;
  risk?: Risk;
  sort?: Sort;
  q?: string;
  /** The handoff that is open beside the list. */
  h?: string;
}

const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value);

/** Reads a filter; what is not one is left out. */
export function readFilter(search: Record<string, unknown>): Filter {
  const read: { [K in keyof Filter]: Filter[K] | undefined } = {
    view: oneOf(search.view, ["snoozed", "done"]),
    kind: oneOf(search.kind, Object.keys(KINDS) as Kind[]),
    risk: oneOf(search.risk, ["high", "medium", "low"]),
    sort: oneOf(search.sort, ["risk", "oldest"]),
    q: typeof search.q === "string" || typeof search.q === "number" ? String(search.q) : undefined,
    h: typeof search.h === "string" ? search.h : undefined,
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value)) as Filter;
}

export const isFiltered = (filter: Filter): boolean => Boolean(filter.kind || filter.risk || filter.q);

/** Returns whether a handoff passes the filter. Every word of the search must occur. */
export function matches(handoff: InboxItem, filter: Filter, me: string): boolean {
  if (filter.kind && kindOf(handoff, me) !== filter.kind) return false;
  if (filter.risk && handoff.risk !== filter.risk) return false;
  if (!filter.q) return true;
  const text = [handoff.goal, handoff.question, handoff.from, handoff.to, handoff.task, handoff.id, handoff.holder, handoff.contract]
    .join(" ")
    .toLowerCase();
  return filter.q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
