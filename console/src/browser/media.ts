import { useSyncExternalStore } from "react";

const narrow = typeof window === "undefined" ? undefined : window.matchMedia("(max-width: 900px)");

function subscribe(listener: () => void): () => void {
  narrow?.addEventListener("change", listener);
  return () => narrow?.removeEventListener("change", listener);
}

/** Returns whether there is room for the list only, and a card is a page of its own. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow?.matches ?? false);
