// Brings the event stream into the page: its status, and what it makes stale.

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { keys } from "../api/queries";
import type { Event } from "../api/types";
import { join } from "./shared";
import type { StreamMessage, StreamStatus } from "./stream";

export interface Live {
  status: StreamStatus;
  /** The number of the last event that was looked at. */
  seen: number | undefined;
  /** When the stream was last known to be complete. */
  asOf: number;
  /** This tab has the connection of the browser. */
  leads: boolean;
}

const POLL = 5000;
const listeners = new Set<() => void>();
let live: Live = { status: "connecting", seen: undefined, asOf: 0, leads: false };

function publish(next: Live): void {
  live = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const watchers = new Set<(event: Event) => void>();

/** Calls back with each event of the stream, and returns how to stop. */
export function watchEvents(watcher: (event: Event) => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useLive = (): Live => useSyncExternalStore(subscribe, () => live);

/** Follows a project while the page is open and refreshes what events change. */
export function useEventStream(project: string, isEnabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isEnabled) return;
    const touched = new Set<string>();
    const refresh = throttle(() => {
      const tasks = [...touched];
      touched.clear();
      return refreshLists(client, project, tasks);
    }, 250);
    const note = (event: Event) => {
      if (event.task) touched.add(event.task);
      refresh.run();
    };
    // Without a stream, as behind a proxy that holds it back, the lists are polled.
    const poll = setInterval(() => {
      // A long list may take longer to read than the interval.
      if (live.status !== "live") void client.invalidateQueries({ predicate: isPolled }, { cancelRefetch: false });
    }, POLL);
    const leave = join(project, (message) => receive(client, project, message, note));
    return () => {
      clearInterval(poll);
      leave();
      publish({ status: "connecting", seen: undefined, asOf: 0, leads: false });
      refresh.stop();
    };
  }, [client, project, isEnabled]);
}

const isPolled = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  ["inbox", "handoff", "history", "task", "handoffs", "feed"].includes(String(queryKey[0]));

/** Events of handoffs that the pages of operators show. */
const OPERATED = /\.(died|redriven|discarded)$/;

function receive(client: QueryClient, project: string, message: StreamMessage, note: (event: Event) => void): void {
  const isCut = message.status === "reconnecting" && live.status === "live";
  // What was read before the stream opened may have changed since.
  const hasOpened = message.status === "live" && live.status !== "live";
  const asOf = message.status === "live" ? Date.now() : live.asOf;
  publish({ status: message.status, seen: message.seen, asOf, leads: message.leads ?? false });
  if (message.status === "signed_out") void client.invalidateQueries({ queryKey: ["whoami"] });
  if (isCut) void client.invalidateQueries({ predicate: isPolled });
  if (message.reset) void client.invalidateQueries();
  else if (hasOpened) void client.invalidateQueries({ predicate: isPolled });
  const event = message.event;
  if (!event) return;
  for (const watcher of watchers) watcher(event);
  if (event.handoff) {
    void client.invalidateQueries({ queryKey: keys.handoff(project, event.handoff) });
    void client.invalidateQueries({ queryKey: keys.history(project, event.handoff) });
    note(event);
  } else if (event.type.startsWith("party.")) {
    void client.invalidateQueries({ queryKey: keys.parties(project) });
  }
  if (!event.handoff || OPERATED.test(event.type)) void client.invalidateQueries({ queryKey: ["operate", project] });
}

function refreshLists(client: QueryClient, project: string, tasks: string[]): Promise<unknown> {
  const lists = [keys.inbox(project), keys.decided(project), keys.handoffs(project), ...tasks.map((task) => keys.task(project, task))];
  return Promise.all(lists.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Runs at once, then at most once in an interval, and never twice at the same time. */
function throttle(run: () => Promise<unknown>, interval: number): { run: () => void; stop: () => void } {
  let isBusy = false;
  let again = false;
  const fire = async () => {
    isBusy = true;
    again = false;
    await Promise.all([run(), new Promise((resolve) => setTimeout(resolve, interval))]);
    isBusy = false;
    if (again) void fire();
  };
  return {
    run: () => {
      if (isBusy) again = true;
      else void fire();
    },
    stop: () => {
      isBusy = true;
    },
  };
}
