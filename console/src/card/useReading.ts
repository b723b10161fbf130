import { useEffect, useRef, useState } from "react";

export type Part = "packet" | "evidence";

export interface Attention {
  /** The parts that the person opened. */
  opened: Part[];
  open: (part: Part) => void;
  /** Returns for how many seconds the card was visible. */
  seconds: () => number;
}

/** Measures what was opened and for how long it was on the screen. A new version starts again. */
export function useReading(version: string): Attention {
  const [state, setState] = useState<{ version: string; opened: Part[] }>({ version, opened: [] });
  const looked = useRef({ total: 0, since: 0 });
  useEffect(() => {
    looked.current = { total: 0, since: document.visibilityState === "visible" ? Date.now() : 0 };
    const change = () => {
      const { total, since } = looked.current;
      looked.current =
        document.visibilityState === "visible"
          ? { total, since: Date.now() }
          : { total: total + (since ? Date.now() - since : 0), since: 0 };
    };
    document.addEventListener("visibilitychange", change);
    return () => document.removeEventListener("visibilitychange", change);
  }, [version]);
  const opened = state.version === version ? state.opened : [];
  return {
    opened,
    open: (part) => {
      if (!opened.includes(part)) setState({ version, opened: [...opened, part] });
    },
    seconds: () => {
      const { total, since } = looked.current;
      return Math.round((total + (since ? Date.now() - since : 0)) / 1000);
    },
  };
}
