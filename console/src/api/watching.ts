// What the pages read that watch a task or a team.

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { brokenTrail, type ChainCheck, checkChain } from "../watch/log/chain";
import * as api from "./client";
import { keys } from "./queries";
import type { Checkpoint, Event, Handoff, ReturnDetails } from "./types";

/** LIMIT: handoffs of a task whose checkpoints and returns are read, the newest ones. */
const DETAILED = 20;
/** LIMIT: pages of leaves that are read to check one task. */
const LEAF_PAGES = 10;

export function useTaskHandoffs(project: string, task: string) {
  return useQuery({
    queryKey: [...keys.task(project, task), "handoffs"],
    queryFn: ({ signal }) => api.taskHandoffs(project, task, signal),
  });
}

export function useTimeline(project: string, task: string) {
  return useQuery({
    queryKey: [...keys.task(project, task), "timeline"],
    queryFn: ({ signal }) => api.timeline(project, task, signal),
  });
}

/** The check of a task's leaves, computed in this browser. */
export interface TaskCheck extends ChainCheck {
  /** The numbers of the task's own leaves that were read. */
  own: number[];
  at: number;
}

/** Reads the leaves of a task and checks each against its bytes, its neighbours and the event that is shown. */
export function useTaskCheck(project: string, task: string, events: Event[] | undefined) {
  const last = events?.at(-1)?.n;
  return useQuery({
    queryKey: ["check", project, task, last],
    queryFn: ({ signal }) => checkTask(project, task, events ?? [], signal),
    enabled: last !== undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

async function checkTask(project: string, task: string, events: Event[], signal: AbortSignal): Promise<TaskCheck> {
  const lines = new Set<string>();
  // A page has a number of leaves of the task, and their neighbours, which the next page may repeat.
  const firsts = events.filter((_, index) => index % api.PAGE === 0).slice(0, LEAF_PAGES);
  for (const { n } of firsts) {
    for (const line of await api.taskLeaves(project, task, n, signal)) lines.add(line);
  }
  const check = await checkChain([...lines], events);
  const own = events.map(({ n }) => n).filter((n) => check.leaves.has(n));
  const trail = brokenTrail(own.flatMap((n) => check.leaves.get(n) ?? []));
  const brokenAt = check.brokenAt ?? trail;
  return { ...check, own, at: Date.now(), ...(brokenAt ? { brokenAt } : {}) };
}

/** The checkpoints of the newest handoffs of a task, newest first. */
export function useTaskCheckpoints(project: string, handoffs: Handoff[]): (Checkpoint & { handoff: string })[] {
  const withProgress = handoffs.slice(0, DETAILED).filter(({ checkpoints }) => (checkpoints ?? 0) > 0);
  const results = useQueries({
    queries: withProgress.map(({ id, checkpoints }) => ({
      queryKey: ["checkpoints", project, id, checkpoints],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.checkpoints(project, id, signal),
      staleTime: Infinity,
    })),
  });
  const all = results.flatMap(({ data }, index) => (data ?? []).map((one) => ({ ...one, handoff: withProgress[index]?.id ?? "" })));
  return all.toSorted((one, other) => other.n - one.n);
}

/** The return packets of the newest handoffs of a task, newest first. */
export function useTaskReturns(project: string, handoffs: Handoff[], events: Event[]): ReturnDetails[] {
  const count = (id: string) => events.filter((event) => event.handoff === id && RETURNS.has(event.type)).length;
  const withReturns = handoffs.slice(0, DETAILED).filter(({ id }) => count(id) > 0);
  const results = useQueries({
    queries: withReturns.map(({ id }) => ({
      queryKey: ["returns", project, id, count(id)],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.returns(project, id, signal),
      staleTime: Infinity,
    })),
  });
  // The returns of a handoff include those of the handoffs that its work was passed on to.
  const all = new Map(results.flatMap(({ data }) => (data ?? []).map((one) => [one.id, one] as const)));
  return [...all.values()].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

const RETURNS = new Set(["handoff.returned", "handoff.verified", "handoff.failed_verification"]);

/** Checks one leaf of the log against the one before and the one after it. */
export function useLeafCheck(project: string, n: number) {
  return useQuery({
    queryKey: ["leaf", project, n],
    queryFn: async ({ signal }) => checkChain(await api.logLeaves(project, n - 1, n === 0 ? 2 : 3, signal)),
  });
}

/** The last hours. They are read again every minute, not with every event. */
export function useOverview(project: string, hours: number) {
  return useQuery({
    queryKey: ["overview", project, hours],
    queryFn: ({ signal }) => api.overview(project, hours, signal),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** The open handoffs, newest first, at most one page of them. */
export function useOpenHandoffs(project: string) {
  return useQuery({
    queryKey: [...keys.handoffs(project), "open"],
    queryFn: ({ signal }) => api.handoffs(project, {}, signal),
  });
}

/** The newest handoffs, open or not, at most one page of them. */
export function useNewestHandoffs(project: string) {
  return useQuery({
    queryKey: [...keys.handoffs(project), "all"],
    queryFn: ({ signal }) => api.handoffs(project, { all: true }, signal),
  });
}
