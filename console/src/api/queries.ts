// What the console reads, as queries that share one cache.

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import * as api from "./client";
import type { HandoffDetails } from "./types";

export const keys = {
  whoami: (project: string | undefined) => ["whoami", project ?? ""] as const,
  inbox: (project: string) => ["inbox", project] as const,
  handoffs: (project: string) => ["handoffs", project] as const,
  handoff: (project: string, id: string) => ["handoff", project, id] as const,
  history: (project: string, id: string) => ["history", project, id] as const,
  decided: (project: string) => ["decided", project] as const,
  parties: (project: string) => ["parties", project] as const,
  task: (project: string, task: string) => ["task", project, task] as const,
};

/** The details of a handoff, with the entity tag that decisions are bound to. */
export interface Shown extends HandoffDetails {
  etag: string;
}

export const whoamiQuery = (project: string | undefined) =>
  queryOptions({
    queryKey: keys.whoami(project),
    queryFn: ({ signal }) => api.whoami(project, signal),
    staleTime: Infinity,
    retry: false,
  });

export const inboxQuery = (project: string) =>
  queryOptions({
    queryKey: keys.inbox(project),
    queryFn: ({ signal, client, queryKey }) => {
      // The first pages are shown while the others are read. Later, the list changes when all of them are there.
      const isFirst = client.getQueryData(queryKey) === undefined;
      return api.inbox(project, signal, (read) => isFirst && client.setQueryData<api.Inbox>(queryKey, read));
    },
    // An inbox that could not be read is asked for again.
    refetchInterval: (query) => (query.state.status === "error" ? 5000 : false),
  });

export const handoffQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: keys.handoff(project, id),
    queryFn: async ({ signal }): Promise<Shown> => {
      const { data, etag } = await api.handoff(project, id, signal);
      return { ...data, etag: etag ?? "" };
    },
  });

/** The goals of the newest handoffs by id: events and search results are without them. */
export function useGoals(project: string): Map<string, string> {
  const { data } = useQuery({
    queryKey: [...keys.handoffs(project), "all"],
    queryFn: ({ signal }) => api.handoffs(project, { all: true }, signal),
  });
  return useMemo(() => new Map(data?.items.flatMap(({ id, goal }) => (goal ? [[id, goal] as const] : []))), [data]);
}

/** The handoffs that are held for a person, whoever that is. */
export function useHeld(project: string) {
  return useQuery({
    queryKey: [...keys.handoffs(project), "held"],
    queryFn: ({ signal }) => api.handoffs(project, { state: "held" }, signal),
  });
}

export function useHistory(project: string, id: string | undefined) {
  return useQuery({
    queryKey: keys.history(project, id ?? ""),
    queryFn: ({ signal }) => api.events(project, { handoff: id ?? "", from: 0, limit: 500 }, signal),
    enabled: id !== undefined,
  });
}

/** The checkpoints of a handoff, read again whenever there is one more. */
export function useCheckpoints(project: string, id: string, count: number) {
  return useQuery({
    queryKey: ["checkpoints", project, id, count],
    queryFn: ({ signal }) => api.checkpoints(project, id, signal),
    enabled: count > 0,
    staleTime: Infinity,
  });
}

/** The versions of the actions of a handoff, read again whenever another one waits or is decided. */
export function useActions(project: string, id: string, version: string | undefined) {
  return useQuery({
    queryKey: ["actions", project, id, version],
    queryFn: ({ signal }) => api.actions(project, id, signal),
    enabled: version !== undefined,
    staleTime: Infinity,
  });
}

const DECISIONS = ["accepted", "signed_off", "denied", "rejected", "edited", "rerouted", "intercepted", "cancelled"];
const OTHERS = ["verified", "failed_verification", "answered", "claimed", "declined", "redriven", "discarded"];

/** The last decisions of a person. */
export function useDecided(project: string, person: string) {
  const type = [...DECISIONS, ...OTHERS].map((name) => `handoff.${name}`).join(",");
  return useQuery({
    queryKey: [...keys.decided(project), person],
    queryFn: ({ signal }) => api.events(project, { actor: person, type, limit: 100 }, signal),
  });
}

export function useParties(project: string) {
  return useQuery({
    queryKey: keys.parties(project),
    queryFn: ({ signal }) => api.parties(project, signal),
    staleTime: 60_000,
  });
}

/** The contract of a handoff; a published version never changes. */
export function useContract(project: string, name: string | undefined) {
  return useQuery({
    queryKey: ["contract", project, name],
    queryFn: async ({ signal }) => (await api.contract(project, name ?? "", signal)).document,
    enabled: name !== undefined,
    staleTime: Infinity,
  });
}

export function useGate(project: string, name: string | undefined) {
  return useQuery({
    queryKey: ["gate", project, name],
    queryFn: async ({ signal }) => (await api.gate(project, name ?? "", signal)).document,
    enabled: name !== undefined,
    staleTime: 60_000,
  });
}

export function useRevision(project: string, id: string, revision: number | undefined) {
  return useQuery({
    queryKey: ["packet", project, id, revision],
    queryFn: ({ signal }) => api.packet(project, id, revision ?? 1, signal),
    enabled: revision !== undefined && revision > 0,
    staleTime: Infinity,
  });
}

export function useSearch(project: string, q: string) {
  return useQuery({
    queryKey: ["search", project, q],
    queryFn: ({ signal }) => api.search(project, q, signal),
    enabled: q.trim() !== "",
    placeholderData: keepPreviousData,
  });
}
