// What operators read and change: policy, parties, tokens, subscriptions, dead letters and the halt.

import { send } from "./http";
import type { Answer, Handoff, Json, Packet, Page, Party, Scope } from "./types";

export interface Project {
  project: string | null;
  id: string;
  halted: boolean;
  settings: { ladder?: { to: string }[]; [name: string]: Json | undefined };
}

export interface ContractSummary {
  contract: string;
  version: string;
  from: string[];
  to: string[];
  digest: string;
}

export interface GateSummary {
  gate: string;
  version: string;
  digest: string;
}

export interface Policy {
  document: { [name: string]: Json } | null;
  digest: string | null;
}

export interface Token {
  id: string;
  /** Only the answer that creates a token has its text. */
  text?: string;
  party: string;
  scopes: Scope[];
  from?: string[];
  name?: string;
  created_at: string;
  expires_at: string;
  revoked_at?: string;
  last_used?: string;
}

export interface TokenRequest {
  party: string;
  scopes: Scope[];
  for?: string;
  from?: string[];
  name?: string;
}

export interface Subscription {
  id: string;
  party: string;
  kind: "webhook" | "email" | "slack" | "ntfy" | "none";
  url?: string;
  address?: string;
  public_key?: string;
  /** Only the answer that creates a secret has it. */
  secret?: string;
  filter?: { type?: string[]; [name: string]: Json | undefined };
  status: "active" | "disabled" | "removed";
  because?: "asked" | "failing" | "gone";
  created_at: string;
  from: number;
}

export interface SubscriptionRequest {
  party?: string;
  url?: string;
  address?: string;
  slack?: string;
  ntfy?: string;
  filter?: { type: string[] };
}

/** One attempt to deliver an event. */
export interface Delivery {
  n: number;
  at: string;
  attempt: number;
  status?: number;
  millis: number;
  response: string;
}

export interface PartyRequest {
  name: string;
  kind?: Party["kind"];
  members?: string[];
  without_members?: string[];
}

/** The result of one check of the project. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "error";
  message: string;
  remedy?: string;
}

export interface AbsenceRequest {
  deputy: string;
  until: string;
}

/** What an operation created or changed. */
export interface Changed extends Answer {
  party?: Party;
  token?: Token;
  subscription?: Subscription;
  registered?: string[];
}

const path = (...parts: string[]) => `/v1/${parts.map(encodeURIComponent).join("/")}`;

async function list<T>(project: string, url: string, signal?: AbortSignal): Promise<T[]> {
  return (await send<Page<T>>("GET", url, { project, signal })).data.items;
}

async function show<T>(project: string, url: string, signal?: AbortSignal): Promise<T> {
  return (await send<T>("GET", url, { project, signal })).data;
}

async function change<T = Changed>(method: string, project: string, url: string, body?: unknown): Promise<T> {
  return (await send<T>(method, url, { project, body })).data;
}

export const project = (name: string, signal?: AbortSignal) => show<Project>(name, "/v1/project", signal);
export const contracts = (project: string, signal?: AbortSignal) => list<ContractSummary>(project, "/v1/contracts", signal);
export const contract = (project: string, name: string, signal?: AbortSignal) =>
  show<{ document: Packet }>(project, path("contracts", name), signal);
export const gates = (project: string, signal?: AbortSignal) => list<GateSummary>(project, "/v1/gates", signal);
export const gate = (project: string, name: string, signal?: AbortSignal) => show<Policy>(project, path("gates", name), signal);
export const rules = (project: string, signal?: AbortSignal) => show<Policy>(project, "/v1/rules", signal);
export const tokens = (project: string, signal?: AbortSignal) => list<Token>(project, "/v1/tokens", signal);
export const subscriptions = (project: string, signal?: AbortSignal) => list<Subscription>(project, "/v1/subscriptions", signal);
export const doctor = (project: string, signal?: AbortSignal) => list<Finding>(project, "/v1/doctor", signal);
export const dead = (project: string, signal?: AbortSignal) => show<Page<Handoff>>(project, "/v1/dead?limit=500", signal);

/** The last attempts of a subscription, newest first. */
export const deliveries = (project: string, id: string, signal?: AbortSignal) =>
  list<Delivery>(project, `${path("subscriptions", id, "deliveries")}?limit=50`, signal);

export const addParty = (project: string, request: PartyRequest) => change("POST", project, "/v1/parties", request);
export const beginAbsence = (project: string, person: string, request: AbsenceRequest) =>
  change("PUT", project, path("parties", person, "absence"), request);
export const endAbsence = (project: string, person: string) => change("DELETE", project, path("parties", person, "absence"));
export const createToken = (project: string, request: TokenRequest) => change("POST", project, "/v1/tokens", request);
export const revokeToken = (project: string, id: string) => change("DELETE", project, path("tokens", id));
export const addSubscription = (project: string, request: SubscriptionRequest) => change("POST", project, "/v1/subscriptions", request);
export const removeSubscription = (project: string, id: string) => change("DELETE", project, path("subscriptions", id));
export const setSubscription = (project: string, id: string, to: "enable" | "disable") =>
  change("POST", project, path("subscriptions", id, to));
export const testSubscription = (project: string, id: string) => change<Delivery>("POST", project, path("subscriptions", id, "test"));

/** Delivers one event again. */
export const replay = (project: string, id: string, n: number) =>
  change<{ deliveries: Delivery[] }>("POST", project, path("subscriptions", id, "replay"), { from: n, to: n });

export const halt = (project: string, reason: string) => change("POST", project, "/v1/halt", reason ? { reason } : {});
export const lift = (project: string, reason: string) => change("DELETE", project, `/v1/halt?${new URLSearchParams({ reason })}`);
