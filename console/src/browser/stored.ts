// A value of this browser, shared by its tabs. It holds nothing secret.

import { useSyncExternalStore } from "react";

export interface Stored<T> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
}

const known = new Map<string, Stored<unknown>>();

/** Returns the value under a key. What cannot be read is the value to start with. */
export function stored<T>(key: string, start: T): Stored<T> {
  const found = known.get(key);
  if (found) return found as Stored<T>;
  const listeners = new Set<() => void>();
  const read = (): T => {
    try {
      return (JSON.parse(localStorage.getItem(key) ?? "null") as T | null) ?? start;
    } catch {
      return start;
    }
  };
  let current = read();
  const publish = (value: T) => {
    current = value;
    for (const listener of listeners) listener();
  };
  const store: Stored<T> = {
    get: () => current,
    set: (value) => {
      publish(value);
      try {
        localStorage.setItem(key, JSON.stringify(value));
      } catch {
        // Without storage it lasts as long as the page.
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  if (typeof window !== "undefined") {
    window.addEventListener("storage", (event) => {
      if (event.key === key) publish(read());
    });
  }
  known.set(key, store as Stored<unknown>);
  return store;
}

export const useStored = <T>(store: Stored<T>): T => useSyncExternalStore(store.subscribe, store.get);
