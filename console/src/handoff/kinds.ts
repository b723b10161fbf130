// What puts a handoff into an inbox, and in which words a row says so.

import type { DueFor, Failure, Handoff, InboxItem, Risk } from "../api/types";
import type { IconName } from "../components/Icon";
import { causeWords, openGates } from "./causes";
import { doneOf } from "./progress";

export type Kind = "action" | "gate" | "hold" | "escalation" | "offer" | "question" | "return" | "mine" | "rejection" | "dead" | "unnotified";

export const KINDS: Record<Kind, { word: string; icon: IconName; tone: string }> = {
  action: { word: "Approval request", icon: "action", tone: "held" },
  gate: { word: "Sign-off", icon: "sign", tone: "held" },
  hold: { word: "Hold", icon: "held", tone: "held" },
  escalation: { word: "Escalation", icon: "rung", tone: "offered" },
  offer: { word: "Offer", icon: "offered", tone: "offered" },
  question: { word: "Question", icon: "question", tone: "offered" },
  return: { word: "Return to judge", icon: "returned", tone: "returned" },
  mine: { word: "Mine", icon: "claimed", tone: "claimed" },
  rejection: { word: "Rejected", icon: "rejected", tone: "refused" },
  dead: { word: "Dead letter", icon: "dead", tone: "refused" },
  unnotified: { word: "No one was told", icon: "warn", tone: "refused" },
};

const FAILED: Record<Failure["kind"], Kind> = { rejected: "rejection", dead: "dead", notification_failed: "unnotified" };

/** Returns why a handoff is in the inbox of a person. */
export function kindOf(handoff: InboxItem, me: string): Kind {
  if (handoff.failure && !handoff.waits) return FAILED[handoff.failure.kind];
  if (handoff.question !== undefined) return "question";
  switch (handoff.state) {
    case "held":
      if (handoff.action) return "action";
      return openGates(handoff).length > 0 ? "gate" : "hold";
    case "claimed":
      return "mine";
    case "returned":
      return "return";
    case "offered":
      if (handoff.from === me && (handoff.questions?.length ?? 0) > 0) return "question";
      return (handoff.rung ?? 0) > 0 ? "escalation" : "offer";
    default:
      return "dead";
  }
}

/** Says in a few words why it waits, for the third line of a row. */
export function reasonLine(handoff: InboxItem, me: string): string {
  switch (kindOf(handoff, me)) {
    case "action":
    case "hold":
      return (handoff.causes ?? []).map((cause) => causeWords(cause, handoff)).join(", ");
    case "gate":
      return (handoff.gates ?? []).map(gateLine).join(", ");
    case "escalation":
      return `moved on, rung ${handoff.rung}`;
    case "offer":
      return handoff.to === me ? "offered to you" : `any member of ${handoff.to} may claim`;
    case "question":
      return `${handoff.blocked ? "blocks the claim of" : "about"} ${handoff.goal ?? handoff.task}`;
    case "return":
      return `returned by ${handoff.returned_by ?? handoff.to}`;
    case "mine":
      return handoff.steps ? `you hold it, ${doneOf(handoff.steps)}` : "you hold it";
    case "rejection":
    case "dead":
    case "unnotified":
      return handoff.failure ? failureLine(handoff.failure) : "no receiver is left";
  }
}

/** Returns who hands what over in a row: what came back and what is asked comes from the receiver. */
export function partiesOf(handoff: InboxItem, me: string): { from: string; to: string } {
  const { from, to } = handoff;
  switch (kindOf(handoff, me)) {
    case "return":
      return { from: handoff.returned_by ?? to, to: from };
    case "question":
      return handoff.state === "offered" ? { from: to, to: from } : { from, to };
    case "mine":
      return { from, to: handoff.holder ?? to };
    default:
      return { from, to };
  }
}

const CAUSES: Record<string, string> = {
  declined: "declined",
  no_channel: "no one it is for has a channel",
  failed: "every channel failed",
  mail_failed: "mail could not be delivered",
};

/** Says why something failed. */
export function failureLine({ kind, cause, by, reason }: Failure): string {
  const said = reason ? `: “${reason}”` : "";
  if (kind === "rejected") return `by ${by ?? "a person"}${said}`;
  const words = cause ? (CAUSES[cause] ?? cause.replaceAll("_", " ")) : "no receiver is left";
  return kind === "dead" && by && by !== "clock" ? `${words} by ${by}${said}` : `${words}${said}`;
}

function gateLine(gate: { name: string; factors: { needed: number; signed?: unknown[] }[] }): string {
  const needed = gate.factors.reduce((sum, factor) => sum + factor.needed, 0);
  const signed = gate.factors.reduce((sum, factor) => sum + (factor.signed?.length ?? 0), 0);
  return `gate ${gate.name.split("@")[0]}, ${signed} of ${needed} signed`;
}

export const RISK_ORDER: Record<Risk, number> = { high: 0, medium: 1, low: 2 };

const DUE: Record<Exclude<DueFor, "expires">, string> = {
  decide: "to decide",
  deliver: "to read it",
  claim: "to claim",
  start: "to start",
  progress: "to report progress",
  return: "to return",
  verify: "to judge",
  no_progress: "to make progress",
  lease: "of the lease",
  gate: "to sign",
  signature: "until a signature expires",
  receiver: "to find a receiver",
  end: "until it ends",
};

/** Says what the time until the deadline is for. */
export const dueWords = ({ due_for }: Handoff): string => 
  due_for && due_for !== "expires" ? ` left ${DUE[due_for]}` : " left";

/** Names a rung as people say it. */
export const rungName = (to: string): string => (to === "dead_letter" ? "dead letter" : to);

export const isOpen = ({ state }: Handoff): boolean => ["held", "offered", "claimed", "returned"].includes(state);
