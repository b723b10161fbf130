import { useState } from "react";
import type { Shown } from "../api/queries";

export interface Reading {
  /** The version that the person reads. It does not change under their eyes. */
  shown: Shown | undefined;
  /** A newer version that has come meanwhile: another revision, receiver or action. */
  newer: Shown | undefined;
  /** Shows the newer version. */
  adopt: () => void;
}

/** Returns what a decision is bound to. */
export function versionOf({ handoff }: Shown): string {
  return [handoff.id, handoff.revision, handoff.digest, handoff.to, handoff.action?.digest, handoff.return_id].join(" ");
}

/** Keeps the version that is being read; its state may go on, its bytes may not. */
export function useShown(latest: Shown | undefined): Reading {
  const [kept, setKept] = useState(latest);
  const isSame = kept !== undefined && latest !== undefined && versionOf(kept) === versionOf(latest);
  // The first version, every change that is not one of the bytes, and the end of the wait are taken over at once.
  const isTaken = latest !== undefined && (kept === undefined || isSame || !isBound(kept) || !isBound(latest));
  if (isTaken && kept !== latest) setKept(latest);
  const shown = isTaken ? latest : kept;
  return { shown, newer: latest && !isTaken && !isSame ? latest : undefined, adopt: () => setKept(latest) };
}

/** Only what waits for a decision is kept from changing. */
function isBound({ handoff }: Shown): boolean {
  return ["held", "offered", "returned"].includes(handoff.state);
}
