import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isReachable = true;

/** Notes whether the exchange answered the last request. */
export function noteReachable(next: boolean): void {
  if (next === isReachable) return;
  isReachable = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns whether the exchange answered the last request. */
export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => isReachable);
