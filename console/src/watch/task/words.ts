// The relay in words: for its list, its table, and the labels of its picture.

import type { Event } from "../../api/types";
import { eventTitle } from "../../handoff/history";
import { span } from "../../text/time";
import type { Mark, Relay, Stretch, StretchKind } from "./relay";

export const TONES: Record<StretchKind, string> = { wait: "offered", hold: "held", claim: "claimed", judge: "returned" };

const VERBS: Record<StretchKind, string> = {
  wait: "offered to",
  hold: "held for",
  claim: "worked on by",
  judge: "judged by",
};

/** Says what a stretch was: `held for ana`. */
export const stretchWords = ({ kind, lane }: Stretch): string => `${VERBS[kind]} ${lane}`;

/** Says how long a stretch took, and how long it has lasted if it goes on. */
export function lastedWords(stretch: Stretch, end: number): string {
  return span((stretch.until ?? end) - stretch.from);
}

const OUTCOMES: Record<string, string> = {
  "handoff.claimed": "claimed",
  "handoff.held": "asked for approval",
  "handoff.passed_on": "passed on",
};

const endWords = (ended: Event): string => OUTCOMES[ended.type] ?? eventTitle(ended).toLowerCase();

/** Says how a stretch ended, or that it goes on. */
export function outcomeWords({ ended }: Stretch): string {
  if (!ended) return "now";
  return ended.reason ? `${endWords(ended)}: “${ended.reason}”` : endWords(ended);
}

/** The label of a bar. */
export function barLabel(stretch: Stretch, end: number): string {
  const took = lastedWords(stretch, end);
  switch (stretch.kind) {
    case "claim":
      return stretch.fence === undefined ? `works ${took}` : `fence ${stretch.fence}, ${took}`;
    case "hold":
      return stretch.ended ? `held ${took}, ${endWords(stretch.ended)}` : `held ${took}`;
    case "wait":
      return `waits ${took}`;
    case "judge":
      return stretch.ended ? endWords(stretch.ended) : `to judge ${took}`;
  }
}

const MARKS: Record<string, string> = {
  "handoff.lapsed": "lease expired",
  "handoff.declined": "declined",
  "handoff.failed_verification": "verdict fail",
  "handoff.rejected": "rejected",
  "handoff.denied": "refused to sign",
  "handoff.died": "dead letter",
  "handoff.cancelled": "cancelled",
  "handoff.notification_failed": "no one told",
  "handoff.asked": "asked",
  "handoff.answered": "answered",
};

/** Returns whether a mark is about a question, and not about a failure. */
export const isQuestion = ({ event: { type } }: Mark): boolean => type === "handoff.asked" || type === "handoff.answered";

export const markWords = ({ event }: Mark): string => MARKS[event.type] ?? eventTitle(event).toLowerCase();

/** A step of the relay in its order: a stretch, or a mark between two of them. */
export type Step = { at: number; key: string } & ({ stretch: Stretch } | { mark: Mark });

/** Returns the relay as an ordered list: the same facts as the picture. */
export function stepsOf({ stretches, marks }: Relay): Step[] {
  // What ended a stretch comes before the one that began at the same time.
  const steps: Step[] = [
    ...marks.map((mark) => ({ at: mark.at, key: `m${mark.event.n}`, mark })),
    ...stretches.map((stretch, index) => ({ at: stretch.from, key: `s${index}`, stretch })),
  ];
  return steps.toSorted((one, other) => one.at - other.at);
}

/** Says what part a party had. */
export function partWords({ stretches, passes }: Relay, lane: string): string {
  const own = stretches.filter((one) => one.lane === lane);
  const fences = own.flatMap(({ fence }) => (fence === undefined ? [] : [fence]));
  if (fences.length > 0) return `${fences.length > 1 ? `claimed ${fences.length} times, ` : "claimed, "}fence ${fences.join(", ")}`;
  if (own.some(({ kind }) => kind === "claim")) return "works";
  if (own.some(({ kind }) => kind === "hold")) return "decides";
  if (own.some(({ kind }) => kind === "judge")) return "verifies";
  if (own.length > 0) return "receives";
  return passes.some(({ from }) => from === lane) ? "sends" : "";
}
