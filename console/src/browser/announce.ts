import { useSyncExternalStore } from "react";

const LASTS = 6000;
const listeners = new Set<() => void>();
let message = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function publish(next: string): void {
  message = next;
  for (const listener of listeners) listener();
}

/** Says what was done, for eyes and screen readers. */
export function announce(text: string): void {
  clearTimeout(timer);
  publish(text);
  timer = setTimeout(() => publish(""), LASTS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => message);
