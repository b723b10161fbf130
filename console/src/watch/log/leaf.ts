// A leaf of the log, read as the specification says: exactly the bytes that were hashed.

import type { Json } from "../../api/types";
import { sha256 } from "./sha256";

export interface Leaf {
  /** The line, exactly as the exchange sent it. */
  text: string;
  n: number;
  time: string;
  type: string;
  /** The hash of the leaf before it, as this leaf states it. */
  prev: string;
  log: string;
  handoff?: string;
  /** The number of the last leaf about the same handoff, as this leaf states it. */
  prevOfHandoff?: number;
  /** The hash that this browser computed, in base64. */
  hash: string;
}

/** A line that is not a leaf. */
export interface Unreadable {
  text: string;
  unreadable: string;
}

type Members = { [name: string]: Json };

const isObject = (value: Json | undefined): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** Prints JSON as RFC 8785 does: members by their UTF-16 code units, and no space. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(",")}}`;
}

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** Returns the hash of a leaf: SHA-256 over a zero byte and its bytes (RFC 6962). */
export async function hashOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const message = new Uint8Array(bytes.length + 1);
  message.set(bytes, 1);
  return base64(await sha256(message));
}

/** Reads a line and computes its hash. */
export async function readLeaf(text: string): Promise<Leaf | Unreadable> {
  let members: Json;
  try {
    members = JSON.parse(text) as Json;
  } catch {
    return { text, unreadable: "it is not JSON" };
  }
  if (!isObject(members)) return { text, unreadable: "it is not an object" };
  if (canonical(members) !== text) return { text, unreadable: "it is not in canonical form" };
  const { n, i, t, type, prev, log, subj } = members;
  if (typeof n !== "number" || n !== i || typeof t !== "string" || typeof type !== "string") {
    return { text, unreadable: "it lacks its number, time or type" };
  }
  if (typeof prev !== "string" || typeof log !== "string") return { text, unreadable: "it has no link" };
  const subject = isObject(subj) ? subj : {};
  return {
    text,
    n,
    time: t,
    type,
    prev,
    log,
    hash: await hashOf(text),
    ...(typeof subject.h === "string" ? { handoff: subject.h } : {}),
    ...(typeof subject.prev_n === "number" ? { prevOfHandoff: subject.prev_n } : {}),
  };
}

/** Shortens a hash in base64 to hexadecimal digits, as digests are shown. */
export function shortHash(hash: string): string {
  const hex = hexOf(hash);
  return `${hex.slice(0, 4)}…${hex.slice(-4)}`;
}

/** Returns a hash in base64 as hexadecimal digits. */
export function hexOf(hash: string): string {
  return Array.from(atob(hash), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
