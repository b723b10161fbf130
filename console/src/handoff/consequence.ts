// The words of each verb: its label, its key, and what it does before it is done.

import type { Handoff } from "../api/types";
import { openGates } from "./causes";
import type { Verb } from "./verbs";

export interface VerbText {
  label: string;
  key: string;
  /** True if the verb opens a form instead of being sent at once. */
  form: boolean;
  tone: "primary" | "negative" | "plain";
}

const YES = { key: "a", tone: "primary" } as const;
const NO = { key: "r", tone: "negative" } as const;

export const VERBS: Record<Verb, VerbText> = {
  accept: { label: "Accept", form: false, ...YES },
  sign_off: { label: "Sign off", form: true, key: "s", tone: "primary" },
  claim: { label: "Claim", form: false, ...YES },
  pass: { label: "Pass", form: false, ...YES },
  answer: { label: "Answer", form: true, ...YES },
  return: { label: "Return", form: true, ...YES },
  redrive: { label: "Redrive", form: false, ...YES },
  edit: { label: "Edit", form: true, key: "e", tone: "plain" },
  reject: { label: "Reject", form: true, ...NO },
  deny: { label: "Refuse to sign", form: true, key: "", tone: "negative" },
  decline: { label: "Decline", form: true, ...NO },
  fail: { label: "Fail", form: true, ...NO },
  release: { label: "Release", form: true, key: "r", tone: "plain" },
  discard: { label: "Discard", form: true, ...NO },
  reroute: { label: "Reroute", form: true, key: "w", tone: "plain" },
  intercept: { label: "Intercept", form: true, key: "i", tone: "plain" },
  ask: { label: "Ask", form: true, key: "q", tone: "plain" },
  cancel: { label: "Cancel handoff", form: true, key: "C", tone: "plain" },
  acknowledge: { label: "Acknowledge", form: false, key: "x", tone: "plain" },
};

/** Returns whether a verb opens a form for this handoff. */
export function opensForm(verb: Verb, handoff: Handoff): boolean {
  if (verb === "intercept") return needsReason(verb, handoff);
  return VERBS[verb].form;
}

/** Returns whether the exchange asks for a reason. */
export function needsReason(verb: Verb, handoff: Handoff): boolean {
  if (["reject", "deny", "decline", "fail", "discard"].includes(verb)) return true;
  return ["reroute", "intercept", "cancel"].includes(verb) && handoff.holder !== undefined;
}

/** Says what a verb does, before it is done. */
export function consequence(verb: Verb, handoff: Handoff): string {
  const { from, to } = handoff;
  const holder = handoff.holder ?? to;
  switch (verb) {
    case "accept":
      if (handoff.action) return `${holder} may run exactly these bytes once.`;
      return openGates(handoff).length > 0
        ? "Clears every reason but the gate; it stays held until the gate is signed."
        : `Offered to ${to} at once.`;
    case "sign_off":
      return `Counts as your signature for revision ${handoff.revision} and ${to} only. Asks for your password.`;
    case "edit":
      if (handoff.action) return `Your action replaces this one, and ${holder} may run exactly that.`;
      return `Makes revision ${handoff.revision + 1}. Approvals of revision ${handoff.revision} are void.`;
    case "reject":
      if (handoff.action) return `Refuses the action. ${holder} keeps the claim and gets your reason.`;
      return `Ends it. ${from} gets your reason.`;
    case "deny":
      return "Counts as a refusal at the gate. Enough of them reject the handoff.";
    case "reroute":
      return "Evaluated again for the new receiver.";
    case "intercept":
      return handoff.holder ? `You hold it for 8 h; ${holder} loses the claim.` : "You hold it for 8 h, until you return or release it.";
    case "cancel":
      return `Ends it for ${from} and ${holder}.`;
    case "claim":
      return "You hold it under a lease; others can no longer take it.";
    case "decline":
      return handoff.to.startsWith("role:") ? `Takes you out; the others in ${to} may still claim.` : "Goes to the next rung with your reason.";
    case "ask":
      if (handoff.state === "held") return `Stays held. ${handoff.action ? holder : from} answers; you may decide without the answer.`;
      return `Stays offered. ${from} answers with a new revision.`;
    case "answer":
      if (handoff.action) return "The action stays as it is; the person who asked is told.";
      return `Makes revision ${handoff.revision + 1} with your answer; ${handoff.state === "held" ? "it stays held" : `${to} is told`}.`;
    case "pass":
      return "Done. The work is closed.";
    case "fail":
      return `Goes back to ${handoff.returned_by ?? to} for rework with your reason.`;
    case "return":
      return `Goes back to ${from}, who judges it.`;
    case "release":
      return `Offered to ${to} again, with the last checkpoint.`;
    case "redrive":
      return `Starts again with ${to}, all counters at zero.`;
    case "discard":
      return "Gives it up for good.";
    case "acknowledge":
      return "Leaves your inbox. The handoff stays as it is.";
  }
}
