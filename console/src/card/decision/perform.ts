// Sends a decision: which operation each verb is, and what it is bound to.

import * as api from "../../api/client";
import type { Shown } from "../../api/queries";
import type { Answer, DecisionRequest, Event, Failure, Looked, Packet, Seen } from "../../api/types";
import { currentClaim } from "../../handoff/history";
import { plain } from "../../text/text";
import type { Verb } from "../../handoff/verbs";
import type { Attention } from "../useReading";

/** The values of a form. */
export interface Input {
  reason?: string;
  to?: string;
  gate?: string;
  meaning?: string;
  password?: string;
  question?: string;
  blocking?: boolean;
  text?: string;
  document?: Packet;
}

export interface Target {
  project: string;
  shown: Shown;
  events: Event[];
  attention: Attention;
  /** The failure that stands in the inbox of the person. */
  failure: Failure | undefined;
}

/** What was opened, and for how long the card was on the screen. */
export const lookedOf = (attention: Attention): Looked => ({ seconds: attention.seconds(), opened: attention.opened });

/** The revision, digest and receiver that were shown, what was opened, and for how long. */
export function seenOf({ handoff }: Shown, attention: Attention): Seen {
  return {
    revision: handoff.revision,
    digest: handoff.action?.digest ?? handoff.digest,
    receiver: handoff.to,
    ...lookedOf(attention),
  };
}

const DECISIONS = {
  accept: "accept",
  sign_off: "sign_off",
  deny: "sign_off",
  reject: "reject",
  reroute: "reroute",
  intercept: "intercept",
  cancel: "cancel",
} as const;

const optional = (input: Input, names: ("reason" | "to" | "gate" | "meaning" | "password")[]) =>
  Object.fromEntries(names.flatMap((name) => (input[name] ? [[name, input[name]]] : [])));

/** Sends a verb to the exchange. */
export async function perform(verb: Verb, input: Input, { project, shown, events, attention, failure }: Target): Promise<Answer> {
  const { id } = shown.handoff;
  const reason = input.reason ?? "";
  switch (verb) {
    case "claim":
      return api.claim(project, id);
    case "decline":
      return api.decline(project, id, reason);
    case "ask":
      return api.ask(project, id, input.text ?? "", input.blocking ?? false);
    case "answer":
      return api.answer(project, id, input.question ?? "", input.text ?? "", shown.etag);
    case "pass":
    case "fail":
      return api.verify(project, id, { ...verdictOf(verb, reason, shown), ...lookedOf(attention) });
    case "acknowledge":
      return api.acknowledge(project, failure ? [{ handoff: id, n: failure.n }] : []);
    case "redrive":
      return api.redrive(project, id, lookedOf(attention));
    case "discard":
      return api.discard(project, id, reason, lookedOf(attention));
    case "release":
    case "return": {
      const claim = shown.claim ?? currentClaim(events);
      if (!claim) throw new Error("the claim is not in the history of this handoff");
      if (verb === "release") return api.release(project, claim.id, reason);
      return api.returnWork(project, id, claim.fence, input.document ?? {});
    }
    case "edit":
      throw new Error("an edit has a form of its own");
    default:
      return api.decide(project, id, decisionOf(verb, input, shown, attention), shown.etag);
  }
}

function verdictOf(result: "pass" | "fail", reason: string, { handoff }: Shown): Omit<api.VerdictRequest, keyof Looked> {
  return { result, ...(handoff.return_id ? { return: handoff.return_id } : {}), ...(reason ? { reason } : {}) };
}

function decisionOf(verb: keyof typeof DECISIONS, input: Input, shown: Shown, attention: Attention): DecisionRequest {
  return {
    decision: DECISIONS[verb],
    ...seenOf(shown, attention),
    ...optional(input, ["reason", "to", "gate", "meaning", "password"]),
    ...(verb === "deny" ? { deny: true } : {}),
  };
}

const DONE: Record<Verb, string> = {
  accept: "Accepted",
  sign_off: "Signed off",
  deny: "Refused to sign",
  claim: "Claimed",
  pass: "Passed",
  answer: "Answered",
  return: "Returned",
  redrive: "Redriven",
  edit: "Edited",
  reject: "Rejected",
  decline: "Declined",
  fail: "Sent back for rework",
  release: "Released",
  discard: "Discarded",
  reroute: "Rerouted",
  intercept: "Intercepted",
  ask: "Asked",
  cancel: "Cancelled",
  acknowledge: "Acknowledged",
};

/** Says what was done, with what the exchange made of it. */
export function doneWords(verb: Verb, answer: Answer): string {
  const after = answer.handoff;
  if (!after) return `${DONE[verb]}.`;
  const state = { held: "still held", offered: `offered to ${after.to}`, claimed: `claimed by ${after.holder ?? after.to}` };
  const words = state[after.state as keyof typeof state] ?? after.state.replaceAll("_", " ");
  return `${DONE[verb]}: ${plain(after.task)}, ${words}.`;
}
