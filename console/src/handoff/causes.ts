// Why a handoff is held, by the name of what holds it.

import type { Handoff, HoldCause } from "../api/types";
import { shortId } from "../text/ids";

export const percent = (value: number): string => `${Math.round(value * 100)} %`;

/** Splits `rule:money-movement` into its kind and its name. */
export function causeName({ by }: HoldCause): { kind: string; name: string } {
  const at = by.indexOf(":");
  return at < 0 ? { kind: by, name: "" } : { kind: by.slice(0, at), name: by.slice(at + 1) };
}

/** Says one cause in a few words, for a row of the inbox. */
export function causeWords(cause: HoldCause, handoff: Handoff): string {
  const { kind, name } = causeName(cause);
  if (cause.reason === "confidence") {
    return handoff.confidence === undefined ? "no confidence stated" : `confidence ${percent(handoff.confidence)} is too low`;
  }
  switch (kind) {
    case "rule":
    case "trigger":
      return `${kind} ${name}`;
    case "gate":
      return `gate ${name} is not signed`;
    case "handoff":
      return `changed since ${shortId(name)}`;
    case "packet":
      return "the packet asks for a person";
    case "sender":
      return "the sender asks for a person";
    case "holder":
      return "waits for approval of one action";
    default:
      return cause.text;
  }
}

/** Names what holds a handoff, for the badge of a card. */
export function heldBy(handoff: Handoff): string | undefined {
  if (handoff.state !== "held") return undefined;
  // A gate is what nothing but its signatures clears.
  const cause = handoff.causes?.find(({ reason }) => reason === "gate") ?? handoff.causes?.[0];
  if (!cause) return "Held";
  const { kind, name } = causeName(cause);
  if (cause.reason === "confidence") return "Held by the confidence limit";
  switch (kind) {
    case "rule":
    case "trigger":
      return `Held by ${kind} ${name}`;
    case "gate":
      return `Held at gate ${name}`;
    case "holder":
      return "Held for approval of an action";
    case "handoff":
      return "Held because it changed";
    case "packet":
    case "sender":
      return "Held at the sender’s request";
    default:
      return "Held";
  }
}

/** Returns the open gates that hold a handoff. */
export function openGates(handoff: Handoff): string[] {
  return (handoff.held_for ?? []).filter((reason) => reason.startsWith("gate:")).map((reason) => reason.slice(5));
}

/** Returns whether something other than a gate holds it, which one acceptance clears. */
export const isHeldBeyondGates = (handoff: Handoff): boolean =>
  (handoff.held_for ?? []).some((reason) => !reason.startsWith("gate"));
