// Events in words.

import type { Event } from "../api/types";

const WORDS: Record<string, string> = {
  begun: "began",
  submitted: "submitted",
  held: "held",
  accepted: "accepted",
  signed_off: "signed off",
  denied: "refused to sign",
  rejected: "rejected",
  revised: "revised",
  edited: "edited",
  rerouted: "rerouted",
  intercepted: "intercepted",
  asked: "asked about",
  answered: "answered",
  declined: "declined",
  delivered: "read",
  claimed: "claimed",
  started: "started",
  checkpointed: "recorded progress on",
  parked: "parked",
  released: "released",
  lapsed: "let the lease expire on",
  notification_failed: "could not notify anyone of",
  moved_on: "moved to the next rung",
  passed_on: "passed on",
  returned: "returned",
  verified: "passed",
  failed_verification: "failed",
  done: "closed",
  died: "gave up",
  redriven: "redrove",
  discarded: "discarded",
  cancelled: "cancelled",
  superseded: "superseded",
};

/** Returns the past-tense verb of an event. */
export function eventWords(event: Event): string {
  const name = event.type.replace(/^handoff\./, "");
  return WORDS[name] ?? name.replaceAll("_", " ");
}

const TITLES: Record<string, string> = {
  delivered: "Read",
  checkpointed: "Progress recorded",
  lapsed: "Lease expired",
  notification_failed: "No one could be notified",
  moved_on: "Moved to the next rung",
  failed_verification: "Verification failed",
  died: "Dead letter",
  asked: "Question asked",
  verified: "Passed",
  redriven: "Redriven",
};

/** Returns an event as a step of a timeline. */
export function eventTitle(event: Event): string {
  const name = event.type.replace(/^handoff\./, "");
  const words = eventWords(event);
  return TITLES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const DECISIONS = new Set(
  ["accepted", "signed_off", "denied", "rejected", "edited", "rerouted", "intercepted", "cancelled", "verified"]
    .concat(["failed_verification", "discarded", "redriven"])
    .map((name) => `handoff.${name}`),
);

const REFUSALS = new Set(["denied", "rejected", "failed_verification"].map((name) => `handoff.${name}`));
const ENDS = new Set(["cancelled", "discarded"].map((name) => `handoff.${name}`));

/** Returns the ink of a decision: that of a refusal, of an end, or of a yes. */
export function eventTone({ type }: Event): "refused" | "ended" | "done" {
  return REFUSALS.has(type) ? "refused" : ENDS.has(type) ? "ended" : "done";
}

/** The icon of each ink. */
export const TONE_ICONS = { refused: "rejected", ended: "x", done: "done" } as const;

const FAILS = new Set(["declined", "lapsed", "moved_on", "failed_verification"].map((name) => `handoff.${name}`));

/** Returns what made a handoff a dead letter. */
export function lastFailure(events: Event[]): Event | undefined {
  return events.findLast((event) => FAILS.has(event.type));
}

/** Returns the last decision about a handoff that nothing has held again since. */
export function lastDecision(events: Event[]): Event | undefined {
  for (const event of events.toReversed()) {
    if (event.type === "handoff.held") return undefined;
    if (DECISIONS.has(event.type)) return event;
  }
  return undefined;
}

/** Returns the claim that holds the work now: its id and fence, which a holder's writes name. */
export function currentClaim(events: Event[]): { id: string; fence: number } | undefined {
  for (const event of events.toReversed()) {
    const { claim, fence } = event.attributes ?? {};
    if (typeof claim === "string" && typeof fence === "number") return { id: claim, fence };
  }
  return undefined;
}
