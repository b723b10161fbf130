// The operations of the public API, one function each.

import { type Reply, send } from "./http";
import type {
  ActionVersion,
  Answer,
  Checkpoint,
  DecisionRequest,
  Event,
  Found,
  Handoff,
  HandoffDetails,
  InboxItem,
  InboxPage,
  Json,
  Looked,
  MailCode,
  Overview,
  Packet,
  Page,
  Party,
  PolicyShown,
  ReturnDetails,
  Session,
  Whoami,
} from "./types";

/** LIMIT: the most items on a page. */
export const PAGE = 500;
/** The first page of a long list is short, so that it is on the screen at once. */
const FIRST_PAGE = 100;

const path = (...parts: string[]) => `/v1/${parts.map(encodeURIComponent).join("/")}`;

function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

export type Credentials = { name: string; password: string; remember?: boolean } | { code: string };

export async function signIn(credentials: Credentials): Promise<Session> {
  return (await send<Session>("POST", "/v1/sessions", { body: credentials })).data;
}

export async function signOut(): Promise<void> {
  await send<void>("DELETE", "/v1/sessions");
}

export async function whoami(project: string | undefined, signal?: AbortSignal): Promise<Whoami> {
  return (await send<Whoami>("GET", "/v1/whoami", { project, signal })).data;
}

/** An inbox, as much of it as was read. */
export interface Inbox {
  party: string;
  items: InboxItem[];
  asOf: string;
  asOfN: number;
  /** False while further pages are being read. */
  isWhole: boolean;
}

/** Reads the whole inbox, what is due first, and reports what it has after each page. */
export async function inbox(project: string, signal?: AbortSignal, onPage?: (inbox: Inbox) => void): Promise<Inbox> {
  const items = new Map<string, InboxItem>();
  let cursor: string | undefined;
  for (;;) {
    const url = `/v1/inbox${query({ limit: cursor ? PAGE : FIRST_PAGE, order: "deadline", cursor })}`;
    const { data } = await send<InboxPage>("GET", url, { project, signal });
    // A handoff may have come with its failure on the first page, and wait on a later one.
    for (const { handoff, ...failure } of data.failures ?? []) items.set(handoff.id, { ...handoff, failure, waits: false });
    for (const handoff of data.handoffs) items.set(handoff.id, { ...items.get(handoff.id), ...handoff, waits: true });
    cursor = data.next;
    const read = { party: data.party, items: [...items.values()], asOf: data.as_of, asOfN: data.as_of_n, isWhole: !cursor };
    if (read.isWhole) return read;
    if (read.items.length > 0) onPage?.(read);
  }
}

/** The newest handoffs of a project. */
export async function handoffs(project: string, filter: { all?: boolean; state?: string }, signal?: AbortSignal): Promise<Page<Handoff>> {
  return (await send<Page<Handoff>>("GET", `/v1/handoffs${query({ ...filter, limit: PAGE })}`, { project, signal })).data;
}

/** The handoffs of a task, newest first. */
export async function taskHandoffs(project: string, task: string, signal?: AbortSignal): Promise<Handoff[]> {
  return (await send<Page<Handoff>>("GET", `/v1/handoffs${query({ task, all: true, limit: PAGE })}`, { project, signal })).data.items;
}

/** The events of a task, oldest first. */
export async function timeline(project: string, task: string, signal?: AbortSignal): Promise<Event[]> {
  return (await send<Page<Event>>("GET", path("tasks", task, "timeline"), { project, signal })).data.items;
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

/** The leaves of a task with their neighbours in the log, exactly as they were hashed. */
export async function taskLeaves(project: string, task: string, from: number, signal?: AbortSignal): Promise<string[]> {
  const url = `${path("tasks", task, "leaves")}${query({ from, limit: PAGE })}`;
  return lines((await send<string>("GET", url, { project, signal, isText: true })).data);
}

/** Leaves of the log in order, exactly as they were hashed. */
export async function logLeaves(project: string, from: number, limit: number, signal?: AbortSignal): Promise<string[]> {
  const url = `/v1/log/leaves${query({ from: Math.max(0, from), limit })}`;
  return lines((await send<string>("GET", url, { project, signal, isText: true })).data);
}

/** The last hours of a project. */
export async function overview(project: string, hours: number, signal?: AbortSignal): Promise<Overview> {
  return (await send<Overview>("GET", `/v1/overview${query({ hours })}`, { project, signal })).data;
}

/** The return packets of a handoff, newest first. */
export async function returns(project: string, id: string, signal?: AbortSignal): Promise<ReturnDetails[]> {
  return (await send<Page<ReturnDetails>>("GET", `${path("handoffs", id, "returns")}${query({ limit: 50 })}`, { project, signal })).data.items;
}

/** A handoff with the entity tag that a decision about it is bound to. */
export function handoff(project: string, id: string, signal?: AbortSignal): Promise<Reply<HandoffDetails>> {
  return send<HandoffDetails>("GET", path("handoffs", id), { project, signal });
}

export async function packet(project: string, id: string, rev: number, signal?: AbortSignal): Promise<Packet> {
  const url = `${path("handoffs", id, "packet")}${query({ rev })}`;
  return (await send<Packet>("GET", url, { project, signal })).data;
}

/** The checkpoints of a handoff, oldest first. */
export async function checkpoints(project: string, id: string, signal?: AbortSignal): Promise<Checkpoint[]> {
  return (await send<Page<Checkpoint>>("GET", `${path("handoffs", id, "checkpoints")}${query({ limit: PAGE })}`, { project, signal })).data.items;
}

/** The versions of the actions that holders asked approval for, oldest first. */
export async function actions(project: string, id: string, signal?: AbortSignal): Promise<ActionVersion[]> {
  return (await send<Page<ActionVersion>>("GET", `${path("handoffs", id, "actions")}${query({ limit: PAGE })}`, { project, signal })).data.items;
}

export interface EventQuery {
  [name: string]: string | number | undefined;
  handoff?: string;
  actor?: string;
  type?: string;
  from?: number;
  limit?: number;
}

export async function events(project: string, filter: EventQuery, signal?: AbortSignal): Promise<Event[]> {
  return (await send<Page<Event>>("GET", `/v1/events${query(filter)}`, { project, signal })).data.items;
}

export async function search(project: string, q: string, signal?: AbortSignal): Promise<Found[]> {
  return (await send<Page<Found>>("GET", `/v1/search${query({ q, limit: 100 })}`, { project, signal })).data.items;
}

export async function parties(project: string, signal?: AbortSignal): Promise<Party[]> {
  return (await send<Page<Party>>("GET", "/v1/parties", { project, signal })).data.items;
}

export async function contract(project: string, name: string, signal?: AbortSignal): Promise<{ document: Packet }> {
  return (await send<{ document: Packet }>("GET", path("contracts", name), { project, signal })).data;
}

export async function gate(project: string, name: string, signal?: AbortSignal): Promise<PolicyShown> {
  return (await send<PolicyShown>("GET", path("gates", name), { project, signal })).data;
}

async function write(project: string, url: string, body: unknown, ifMatch?: string): Promise<Answer> {
  return (await send<Answer>("POST", url, { project, body, ...(ifMatch ? { ifMatch } : {}) })).data;
}

/** Sends a decision about the version that was shown: by its entity tag, or by the revision and digest of the request. */
export function decide(project: string, id: string, request: DecisionRequest, etag?: string): Promise<Answer> {
  return write(project, path("handoffs", id, "decisions"), request, etag);
}

/** Sends a changed packet or action: as a person, or as its sender. */
export function revise(
  project: string,
  id: string,
  document: Json,
  options: { etag: string; edit: boolean; reason: string; looked: Looked },
): Promise<Answer> {
  const { edit, reason, looked } = options;
  const stated = { edit, reason: reason || undefined, seconds: looked.seconds, opened: looked.opened.join(",") || undefined };
  const url = `${path("handoffs", id, "revisions")}${query(edit ? stated : {})}`;
  return write(project, url, document, options.etag);
}

export function claim(project: string, id: string): Promise<Answer> {
  return write(project, path("handoffs", id, "claims"), {});
}

export function decline(project: string, id: string, reason: string): Promise<Answer> {
  return write(project, path("handoffs", id, "declines"), { reason });
}

export function ask(project: string, id: string, question: string, blocking: boolean): Promise<Answer> {
  return write(project, path("handoffs", id, "questions"), { question, blocking });
}

export function answer(project: string, id: string, question: string, text: string, etag: string): Promise<Answer> {
  return write(project, path("handoffs", id, "answers"), { question, answer: text }, etag);
}

export interface VerdictRequest extends Looked {
  result: "pass" | "fail";
  /** The return packet that was shown. */
  return?: string;
  reason?: string;
}

export function verify(project: string, id: string, verdict: VerdictRequest): Promise<Answer> {
  return write(project, path("handoffs", id, "verdicts"), verdict);
}

export function release(project: string, claimId: string, reason: string): Promise<Answer> {
  return write(project, path("claims", claimId, "release"), reason ? { reason } : {});
}

export function returnWork(project: string, id: string, fence: number, document: Packet): Promise<Answer> {
  return write(project, `${path("handoffs", id, "returns")}${query({ fence })}`, document);
}

export function redrive(project: string, id: string, looked: Looked): Promise<Answer> {
  return write(project, path("dead", id, "redrive"), looked);
}

export function discard(project: string, id: string, reason: string, looked: Looked): Promise<Answer> {
  return write(project, path("dead", id, "discard"), { reason, ...looked });
}

/** Takes failures out of the inbox of the person; the handoffs stay as they are. */
export function acknowledge(project: string, failures: { handoff: string; n: number }[]): Promise<Answer> {
  return write(project, "/v1/inbox/ack", { failures });
}

/** Shows what a mailed code is about. The code is not redeemed. */
export async function viewMailCode(code: string, signal?: AbortSignal): Promise<MailCode> {
  return (await send<MailCode>("POST", "/v1/mail-codes/view", { body: { code }, signal })).data;
}

export interface MailDecisionRequest {
  code: string;
  decision: "accept" | "reject";
  reason?: string;
}

/** Decides by a mailed code, which is used up. */
export async function redeemMailCode(request: MailDecisionRequest): Promise<MailCode> {
  return (await send<MailCode>("POST", "/v1/mail-codes/redeem", { body: request })).data;
}
