// Reads the fields of a packet that a card shows. A packet is data of another party: every access checks.

import type { HandoffDetails, Json, LadderRung, Packet } from "../api/types";
import { valueText } from "../text/text";

export interface Item {
  text: string;
  state?: string;
  evidence: string[];
  id?: string;
}

const isObject = (value: unknown): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a text field, if it says something. */
export function text(packet: Packet | undefined, field: string): string | undefined {
  const value = packet?.[field];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const texts = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => {
    if (typeof one === "string") return one;
    if (isObject(one) && typeof one.text === "string") return one.text;
    return JSON.stringify(one);
  });

/** Returns a list field as items. */
export function items(packet: Packet | undefined, field: string): Item[] {
  const value = packet?.[field];
  if (!Array.isArray(value)) return typeof value === "string" && value ? [{ text: value, evidence: [] }] : [];
  return value.map((one): Item => {
    if (!isObject(one)) return { text: typeof one === "string" ? one : JSON.stringify(one), evidence: [] };
    const words = one.text ?? one.name ?? one.tried;
    return {
      text: typeof words === "string" ? words : JSON.stringify(one),
      evidence: texts(one.evidence),
      ...(typeof one.state === "string" ? { state: one.state } : {}),
      ...(typeof one.id === "string" ? { id: one.id } : {}),
    };
  });
}

/** Returns the payload as labelled values, in the order of the packet. */
export function payload(packet: Packet | undefined): { label: string; value: Json }[] {
  const value = packet?.payload;
  if (isObject(value)) return Object.entries(value).map(([label, one]) => ({ label, value: one }));
  if (!Array.isArray(value)) return [];
  return value.map((one) =>
    isObject(one) && typeof one.label === "string" ? { label: one.label, value: one.value ?? null } : { label: "", value: one },
  );
}

/** Returns an action in a line: its command, or all of it. */
export const actionText = (action: Json): string =>
  isObject(action) && typeof action.command === "string" ? action.command : valueText(action);

/** Returns the members of an object field as lists of texts. */
export function members(packet: Packet | undefined, field: string): { name: string; values: string[] }[] {
  const value = packet?.[field];
  return isObject(value) ? Object.entries(value).map(([name, one]) => ({ name, values: texts(one) })) : [];
}

/** Members that have a place of their own on the card, or say what the packet is. */
const SHOWN = new Set(
  ["handoff_version", "packet_type", "task_id", "from_agent", "to_agent", "status", "contract", "digest", "trigger", "goal"]
    .concat(["summary", "next_request", "completed", "remaining", "payload", "acceptance", "constraints", "failure_boundary"])
    .concat(["decisions", "pitfalls_hit", "assumptions", "return_required", "scope", "confidence", "provenance", "cost"])
    .concat(["expires_at", "evidence_refs", "artifacts", "classification", "sign_off_gates", "fallback", "can_intercept"]),
);

/** Returns every other member: nothing that is accepted is left unseen. */
export function rest(packet: Packet | undefined): { label: string; value: Json }[] {
  return Object.entries(packet ?? {})
    .filter(([name]) => !SHOWN.has(name))
    .map(([label, value]) => ({ label, value }));
}

export interface Artifact {
  path: string;
  kind: string;
  digest?: string;
  bytes?: number;
}

export function artifacts(packet: Packet | undefined): Artifact[] {
  const value = packet?.artifacts;
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((one) => ({
    path: typeof one.path === "string" ? one.path : JSON.stringify(one),
    kind: typeof one.kind === "string" ? one.kind : "",
    ...(typeof one.digest === "string" ? { digest: one.digest } : {}),
    ...(typeof one.bytes === "number" ? { bytes: one.bytes } : {}),
  }));
}

export interface Criterion {
  criterion: string;
  result: string;
  evidence: string[];
}

/** Returns the results of a return, one for each criterion that it names. */
export function verification(packet: Packet | undefined): Criterion[] {
  const value = packet?.verification;
  if (!Array.isArray(value)) return [];
  return value.map((one) => {
    if (!isObject(one)) return { criterion: String(one), result: "", evidence: [] };
    return { criterion: String(one.criterion ?? ""), result: String(one.result ?? ""), evidence: texts(one.evidence) };
  });
}

/** Returns the cost as one line. */
export function cost(packet: Packet | undefined): string | undefined {
  const value = packet?.cost;
  if (!isObject(value)) return undefined;
  const money = value.amount === undefined ? "" : `${value.amount} ${value.currency ?? ""}`.trim();
  const tokens = typeof value.tokens === "number" ? `${value.tokens.toLocaleString("en")} tokens` : "";
  return [money, tokens].filter(Boolean).join(", ") || undefined;
}

export type Rung = Omit<LadderRung, "used">;

/**
 * Returns the rungs that a handoff has not come to: the exchange's, else those that packet or contract name. The
 * last rung is always the dead letter.
 */
export function rungsAhead({ handoff, packet, ladder }: HandoffDetails, contract: Packet | undefined): Rung[] {
  const rungs = ladder
    ? ladder.filter((rung) => !rung.used)
    : statedLadder(packet?.fallback ?? contract?.fallback).slice(handoff.rung ?? 0);
  return rungs.at(-1)?.to === "dead_letter" ? rungs : [...rungs, { to: "dead_letter" }];
}

function statedLadder(stated: Json | undefined): Rung[] {
  if (!Array.isArray(stated)) return [];
  return stated.filter(isObject).map((one) => ({
    to: String(one.to ?? ""),
    ...(typeof one.after === "string" ? { after: one.after } : {}),
    ...(typeof one.on === "string" ? { on: one.on } : {}),
  }));
}

/** Returns a limit of the contract's confidence rule. */
export function confidenceLimit(contract: Packet | undefined, name: "hold_below" | "auto_progress_at"): number | undefined {
  const rule = contract?.confidence;
  const value = isObject(rule) ? rule[name] : undefined;
  return typeof value === "number" ? value : undefined;
}
