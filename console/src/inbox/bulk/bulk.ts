// Decisions about several rows at once. Each is sent on its own and bound to the bytes that its row showed.
// High risk and gates are left out: they are decided on their cards.

import * as api from "../../api/client";
import { ApiError, isChanged } from "../../api/http";
import type { Answer, InboxItem } from "../../api/types";
import { openGates } from "../../handoff/causes";
import { kindOf } from "../../handoff/kinds";

export type BulkVerb = "accept" | "pass" | "acknowledge";

/** Returns the decision that a row can take together with others. */
export function bulkVerbOf(item: InboxItem, me: string): BulkVerb | undefined {
  const kind = kindOf(item, me);
  if (kind === "rejection" || kind === "dead" || kind === "unnotified") return item.failure ? "acknowledge" : undefined;
  if (item.risk === "high" || openGates(item).length > 0 || (item.gates?.length ?? 0) > 0) return undefined;
  // A row does not show the action that an approval is about.
  if (kind === "hold") return "accept";
  return kind === "return" ? "pass" : undefined;
}

export interface Bulk {
  verb: BulkVerb;
  items: InboxItem[];
}

const VERBS: BulkVerb[] = ["accept", "pass", "acknowledge"];

/** Groups rows by the decision that they can take. */
export function bulksOf(items: InboxItem[], me: string): Bulk[] {
  return VERBS.map((verb) => ({ verb, items: items.filter((item) => bulkVerbOf(item, me) === verb) })).filter((bulk) => bulk.items.length > 0);
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Names a decision with its count: `Accept 3 handoffs`. */
export function bulkLabel({ verb, items }: Bulk): string {
  if (verb === "accept") return `Accept ${counted(items.length, "handoff")}`;
  return verb === "pass" ? `Pass ${counted(items.length, "return")}` : `Acknowledge ${counted(items.length, "failure")}`;
}

/** Says what of a selection is decided on its card. */
export function leftOut(items: InboxItem[], me: string): string | undefined {
  const count = items.filter((item) => bulkVerbOf(item, me) === undefined).length;
  return count === 0 ? undefined : `${count} left out: high risk, gates, approvals and offers are decided on the card.`;
}

/** What came of one row. */
export interface Outcome {
  item: InboxItem;
  isDone: boolean;
  words: string;
}

const LOOKED = { seconds: 0, opened: [] };

function send(project: string, verb: BulkVerb, item: InboxItem): Promise<Answer> {
  const { id, revision, to, failure, return_id } = item;
  if (verb === "acknowledge") return api.acknowledge(project, failure ? [{ handoff: id, n: failure.n }] : []);
  if (verb === "pass") return api.verify(project, id, { result: "pass", ...(return_id ? { return: return_id } : {}), ...LOOKED });
  return api.decide(project, id, { decision: "accept", revision, digest: item.digest, receiver: to, ...LOOKED });
}

const DONE: Record<BulkVerb, string> = { accept: "Accepted", pass: "Passed", acknowledge: "Acknowledged" };

function refused(error: Error): string {
  if (isChanged(error)) return "Changed since it was shown. Nothing was applied; look again.";
  return error instanceof ApiError ? error.problem.detail : "The exchange did not answer.";
}

/** Decides about one row after the other, and reports each. */
export async function decideAll(project: string, { verb, items }: Bulk, onOutcome: (outcome: Outcome) => void): Promise<void> {
  for (const item of items) {
    try {
      const { handoff } = await send(project, verb, item);
      const after = handoff?.state === "offered" ? `, offered to ${handoff.to}` : handoff?.state === "held" ? ", still held" : "";
      onOutcome({ item, isDone: true, words: `${DONE[verb]}${after}.` });
    } catch (error) {
      onOutcome({ item, isDone: false, words: refused(error as Error) });
    }
  }
}
