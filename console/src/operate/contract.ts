// A contract as an operator reads it: its edge, its times, and what it lacks.

import type { Json, Packet } from "../api/types";

/** The parts of a contract document that the console shows. */
export interface Contract {
  name: string;
  version: string;
  identity: string;
  description?: string;
  from: string[];
  to: string[];
  gates: string[];
  /** The rungs after the receiver, the dead letter included. */
  fallback: { to: string; after?: string }[];
  facts: [string, string][];
}

const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;
const members = (value: Json | undefined): { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
const percent = (value: Json | undefined): string | undefined =>
  typeof value === "number" ? `${Math.round(value * 100)} %` : undefined;

/** Reads a published contract document. */
export function readContract(document: Packet): Contract {
  const name = text(document.contract) ?? "";
  const version = text(document.version) ?? "";
  const description = text(document.description);
  const rungs = Array.isArray(document.fallback) ? document.fallback.map(members) : [];
  const fallback = rungs.map((rung) => {
    const after = text(rung.after);
    return { to: text(rung.to) ?? "", ...(after ? { after } : {}) };
  });
  const contract = {
    name,
    version,
    identity: `${name}@${version}`,
    ...(description ? { description } : {}),
    from: texts(document.from),
    to: texts(document.to),
    gates: texts(document.gates),
    fallback,
  };
  return { ...contract, facts: factsOf(document, contract.fallback, contract.gates) };
}

function factsOf(document: Packet, fallback: Contract["fallback"], gates: string[]): [string, string][] {
  const confidence = members(document.confidence);
  const lease = members(document.lease);
  const decide = document.decide;
  const rows: [string, string | undefined][] = [
    ["Confidence", joined([prefixed("hold below", percent(confidence.hold_below)), prefixed("go on at", percent(confidence.auto_progress_at))])],
    ["Lease", joined([text(lease.for), prefixed("attempts", text(lease.attempts))])],
    ["Deadlines", joined(Object.entries(members(document.deadlines)).map(([what, value]) => prefixed(what.replaceAll("_", " "), text(value))))],
    ["Decided by", text(decide) ?? joined([text(members(decide).by), prefixed("then any person after", text(members(decide).escalate_after))])],
    ["Gates", joined(gates)],
    ["Fallback", joined(fallback.map(({ to, after }) => `${to === "dead_letter" ? "dead letter" : to}${after ? ` after ${after}` : ""}`))],
    ["Reads", joined(texts(document.compatible_with))],
  ];
  return rows.flatMap(([label, value]) => (value ? [[label, value] as [string, string]] : []));
}

const prefixed = (words: string, value: string | undefined) => (value === undefined ? undefined : `${words} ${value}`);
const joined = (parts: (string | undefined)[]): string | undefined => parts.filter(Boolean).join(", ") || undefined;

/** Orders versions by their numbers: 1.10 comes after 1.9. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split(".").map(Number));
  for (let at = 0; at < Math.max(a?.length ?? 0, b?.length ?? 0); at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Keeps the newest version of each contract, in the order of their names. */
export function newest<T extends { contract: string; version: string }>(all: T[]): T[] {
  const found = new Map<string, T>();
  for (const one of all) {
    const known = found.get(one.contract);
    if (!known || compareVersions(known.version, one.version) < 0) found.set(one.contract, one);
  }
  return [...found.values()].toSorted((a, b) => (a.contract < b.contract ? -1 : 1));
}

/** Returns whether failed work goes straight to the dead letters: neither the contract nor the project has a rung. */
export function lacksFallback(contract: Contract, ladder: { to: string }[]): boolean {
  return ![...contract.fallback, ...(contract.fallback.length > 0 ? [] : ladder)].some(({ to }) => to !== "dead_letter");
}
