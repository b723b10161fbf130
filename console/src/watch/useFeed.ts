// The feed of the live page, and the check of its leaves.

import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import * as api from "../api/client";
import { type Checked, checkChain } from "./log/chain";
import { watchEvents } from "../live/live";
import { useMe } from "../session/me";
import { type Feed, receive, showAll } from "./feed";

const FIRST = 120;

/** Follows the events of the project. `flows` says at each event whether it may be shown at once. */
export function useFeed(flows: () => boolean): { feed: Feed; isLoading: boolean; error: Error | null; jump: () => void } {
  const { project } = useMe();
  const [feed, setFeed] = useState<Feed>({ shown: [], waiting: [] });
  const isFlowing = useRef(flows);
  useEffect(() => {
    isFlowing.current = flows;
  });
  // Read again whenever the stream has opened: what happened before is not in it.
  const { data, error } = useQuery({
    queryKey: ["feed", project],
    queryFn: ({ signal }) => api.events(project, { limit: FIRST }, signal),
    gcTime: 0,
  });
  useEffect(() => {
    if (data) setFeed((before) => receive(before, data, before.shown.length === 0 || isFlowing.current()));
  }, [data]);
  useEffect(() => watchEvents((event) => setFeed((before) => receive(before, [event], isFlowing.current()))), []);
  const jump = useCallback(() => setFeed(showAll), []);
  return { feed, isLoading: data === undefined, error, jump };
}

/** LIMIT: leaves that are kept for the check. */
const LEAVES_KEPT = 600;
const PAUSE = 400;

/** Recomputes the hashes of the leaves between two numbers as they come, each against its neighbours. */
export function useHashes(project: string, low: number | undefined, high: number | undefined): Map<number, Checked> {
  const [checked, setChecked] = useState<Map<number, Checked>>(new Map());
  const lines = useRef<Map<number, string>>(new Map());
  useEffect(() => {
    if (low === undefined || high === undefined) return;
    const aborting = new AbortController();
    // Many events at once are one read.
    const timer = setTimeout(() => {
      void extend(project, lines.current, low, high, aborting.signal)
        .then(() => checkChain([...lines.current.values()]))
        .then(({ leaves }) => !aborting.signal.aborted && setChecked(leaves))
        .catch(() => undefined);
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [project, low, high]);
  return checked;
}

/** Reads the leaves that are missing up to a number, with the one before the first. */
async function extend(project: string, lines: Map<number, string>, low: number, high: number, signal: AbortSignal): Promise<void> {
  const known = Math.max(-1, ...lines.keys());
  const from = Math.max(known < 0 ? low - 1 : known + 1, high - LEAVES_KEPT, 0);
  for (let next = from; next <= high + 1; ) {
    const page = await api.logLeaves(project, next, api.PAGE, signal);
    page.forEach((line, index) => lines.set(next + index, line));
    if (page.length < api.PAGE) break;
    next += page.length;
  }
  for (const n of lines.keys()) if (n < high - LEAVES_KEPT) lines.delete(n);
}
