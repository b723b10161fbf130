// Returns against the acceptance criteria of their handoff.

import type { Packet, ReturnDetails } from "../../api/types";
import { type Criterion, items, verification } from "../../handoff/packet";

export interface CriterionRow {
  id: string;
  text: string;
  /** The result of each return, oldest first; undefined where it does not name the criterion. */
  results: (Criterion | undefined)[];
}

/** Returns a row for each criterion, and for each result that no criterion asks for. Returns are oldest first. */
export function criteria(packet: Packet | undefined, returns: ReturnDetails[]): CriterionRow[] {
  const results = returns.map((one) => verification(one.packet));
  const wanted = items(packet, "acceptance").map((item) => ({ id: item.id ?? item.text, text: item.text }));
  const others = [...new Set(results.flat().map((result) => result.criterion))]
    .filter((name) => !wanted.some(({ id }) => id === name))
    .map((name) => ({ id: name, text: name }));
  return [...wanted, ...others].map(({ id, text }) => ({
    id,
    text,
    results: results.map((list) => list.find((result) => result.criterion === id)),
  }));
}
