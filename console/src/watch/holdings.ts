// What each party holds now, and what waits for it.

import type { Handoff, Party } from "../api/types";

export interface Holding {
  party: string;
  kind: Party["kind"];
  members: number;
  /** The work that the party holds, the oldest first. */
  holds: Handoff[];
  /** The work that waits for the party: offers, holds to decide and returns to judge, the oldest first. */
  waits: Handoff[];
}

export const sinceOf = ({ since, submitted_at }: Handoff): number => Date.parse(since ?? submitted_at);

const oldest = (one: Handoff, other: Handoff) => sinceOf(one) - sinceOf(other);

/** The deciders of a hold that names none. */
export const ANYONE = "any person";
/** Those who redrive or discard a dead letter. */
export const OPERATORS = "operators";

/** Names the parties that a handoff waits for. Work that is held has its deciders, a return its judge. */
export function waitsFor({ state, to, deciders, judge, from }: Handoff): string[] {
  switch (state) {
    case "offered":
      return [to];
    case "held":
      return deciders ?? [ANYONE];
    case "returned":
      return [judge ?? from];
    case "dead":
      return [OPERATORS];
    default:
      return [];
  }
}

/** Returns what each party of a project has, those that work first and those without work last. */
export function holdingsOf(handoffs: Handoff[], parties: Party[]): Holding[] {
  const rows = new Map<string, Holding>();
  const row = (party: string): Holding => {
    const known = parties.find(({ name }) => name === party);
    const kind = known?.kind ?? (party.startsWith("role:") || party === ANYONE || party === OPERATORS ? "role" : "agent");
    const found = rows.get(party) ?? { party, kind, members: known?.members?.length ?? 0, holds: [], waits: [] };
    rows.set(party, found);
    return found;
  };
  for (const { name } of parties) row(name);
  for (const handoff of handoffs.toSorted(oldest)) {
    if (handoff.holder) row(handoff.holder).holds.push(handoff);
    for (const party of waitsFor(handoff)) row(party).waits.push(handoff);
  }
  const rank = ({ holds, waits }: Holding) => (holds.length > 0 ? 0 : waits.length > 0 ? 1 : 2);
  const kinds = { agent: 0, human: 1, role: 2 };
  return [...rows.values()].toSorted(
    (one, other) => rank(one) - rank(other) || kinds[one.kind] - kinds[other.kind] || one.party.localeCompare(other.party),
  );
}

/** Counts the parties that work, that others wait for, and that have nothing. */
export function counted(holdings: Holding[]): { working: number; waiting: number; idle: number } {
  const working = holdings.filter(({ holds }) => holds.length > 0).length;
  const waiting = holdings.filter(({ holds, waits }) => holds.length === 0 && waits.length > 0).length;
  const idle = holdings.filter(({ holds, waits, kind }) => holds.length === 0 && waits.length === 0 && kind !== "role").length;
  return { working, waiting, idle };
}
