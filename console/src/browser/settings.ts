// The settings of this browser. They hold nothing secret.

import { useSyncExternalStore } from "react";
import type { TimeFormat } from "../text/time";

export interface Settings {
  theme: "system" | "light" | "dark";
  time: TimeFormat;
  singleKeys: boolean;
  advance: boolean;
  /** Shows browser notifications. */
  notify: boolean;
}

const KEY = "tasuki.settings";
const DEFAULTS: Settings = { theme: "system", time: "local", singleKeys: true, advance: true, notify: false };
const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Without storage the settings last as long as the page.
  }
  apply();
}

function apply(): void {
  const root = document.documentElement;
  if (current.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = current.theme;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

if (typeof window !== "undefined") {
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    current = read();
    apply();
  });
}

export const useSettings = (): Settings => useSyncExternalStore(subscribe, () => current);
