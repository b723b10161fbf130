// Keyboard shortcuts. Single keys are ignored in fields and can be switched off (WCAG 2.1.4).

import { useLayoutEffect, useRef } from "react";
import { useSettings } from "./settings";

/** A binding returns false to leave the key to the browser. */
export type Bindings = Record<string, (event: KeyboardEvent) => unknown>;

/** Returns whether a key press belongs to a field or a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input, textarea, select, [contenteditable], dialog[open]") !== null;
}

/** Binds single keys as soon as a component is shown, and while it is. */
export function useKeys(bindings: Bindings): void {
  const { singleKeys } = useSettings();
  const latest = useRef(bindings);
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  useLayoutEffect(() => {
    if (!singleKeys) return;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const run = latest.current[event.key];
      if (run && run(event) !== false) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [singleKeys]);
}

/** Submits a form with Ctrl or ⌘ and Enter. */
export function submitOnEnter(event: React.KeyboardEvent<HTMLFormElement>): void {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }
}
