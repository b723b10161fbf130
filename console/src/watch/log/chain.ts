// Checks leaves against their neighbours: each contains the hash of the one before it.

import { type Leaf, readLeaf, type Unreadable } from "./leaf";

/** A leaf that was checked. */
export interface Checked extends Leaf {
  status: "linked" | "broken" | "unconfirmed";
  /** What is wrong, or why it is not confirmed. */
  why?: string;
}

export interface ChainCheck {
  leaves: Map<number, Checked>;
  /** The first leaf that is broken. */
  brokenAt?: { n: number; why: string };
  /** Lines that are no leaves. */
  unreadable: Unreadable[];
}

/** An event as a page shows it, which its leaf must agree with. */
export interface Stated {
  n: number;
  at: string;
  type: string;
  handoff?: string;
}

const ZERO = btoa("\0".repeat(32));

/** Reads lines, computes every hash, and compares every leaf with those before and after it. */
export async function checkChain(lines: string[], stated: Stated[] = []): Promise<ChainCheck> {
  const read = await Promise.all(lines.map(readLeaf));
  const leaves = new Map<number, Leaf>();
  const unreadable: Unreadable[] = [];
  for (const one of read) {
    if ("unreadable" in one) unreadable.push(one);
    else leaves.set(one.n, one);
  }
  const events = new Map(stated.map((event) => [event.n, event]));
  const checked = new Map<number, Checked>();
  let brokenAt: ChainCheck["brokenAt"];
  for (const leaf of [...leaves.values()].toSorted((one, other) => one.n - other.n)) {
    const fault = faultOf(leaf, leaves, events.get(leaf.n));
    const next = leaves.get(leaf.n + 1);
    const isConfirmed = next?.prev === leaf.hash;
    if (fault) brokenAt ??= { n: leaf.n, why: fault };
    if (fault) checked.set(leaf.n, { ...leaf, status: "broken", why: fault });
    else if (isConfirmed) checked.set(leaf.n, { ...leaf, status: "linked" });
    else checked.set(leaf.n, { ...leaf, status: "unconfirmed", why: next ? `#${next.n} is broken` : "no leaf after it is known" });
  }
  for (const { n } of stated) {
    if (!checked.has(n) && unreadable.length > 0 && (!brokenAt || n < brokenAt.n)) {
      brokenAt = { n, why: unreadable[0]?.unreadable ?? "" };
    }
  }
  return { leaves: checked, unreadable, ...(brokenAt ? { brokenAt } : {}) };
}

function faultOf(leaf: Leaf, leaves: Map<number, Leaf>, stated: Stated | undefined): string | undefined {
  const before = leaves.get(leaf.n - 1);
  const next = leaves.get(leaf.n + 1);
  if (leaf.n === 0 && leaf.prev !== ZERO) return "the first leaf links to another";
  if (before && before.log !== leaf.log) return "it belongs to another log";
  if (before && before.time > leaf.time) return `it is earlier than #${before.n}`;
  // If the next leaf is itself changed, as the one after it shows, it says nothing about this one.
  if (next && next.prev !== leaf.hash && !isChanged(next, leaves)) return `its hash is not the one that #${next.n} contains`;
  if (before && before.hash !== leaf.prev && isChanged(leaf, leaves)) return `it does not contain the hash of #${before.n}`;
  if (stated && !agrees(leaf, stated)) return "the page shows another event than the leaf records";
  return undefined;
}

/** Returns whether the leaf after this one contains another hash than that of its bytes. */
function isChanged(leaf: Leaf, leaves: Map<number, Leaf>): boolean {
  const next = leaves.get(leaf.n + 1);
  return next !== undefined && next.prev !== leaf.hash;
}

const agrees = (leaf: Leaf, stated: Stated) =>
  leaf.type === stated.type && leaf.handoff === stated.handoff && Date.parse(leaf.time) === Date.parse(stated.at);

/** Checks that each leaf of a handoff names the one before it. Returns the first that does not. */
export function brokenTrail(leaves: Leaf[]): { n: number; why: string } | undefined {
  const last = new Map<string, number>();
  for (const leaf of leaves) {
    if (!leaf.handoff) continue;
    if (leaf.prevOfHandoff !== last.get(leaf.handoff)) return { n: leaf.n, why: "a leaf of the same handoff is missing before it" };
    last.set(leaf.handoff, leaf.n);
  }
  return undefined;
}
