// Editing a JSON document by a form, without turning values into texts.

import type { Json } from "../api/types";

export type Document = { [name: string]: Json };
export type FieldKind = "text" | "list" | "pairs";

export interface Field {
  name: string;
  kind: FieldKind;
}

const isObject = (value: Json | undefined): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: Json | undefined) => value === null || typeof value !== "object";
const isPair = (value: Json): value is { label: string; value: Json } =>
  isObject(value) && typeof value.label === "string" && isScalar(value.value) && Object.keys(value).length === 2;
const isItem = (value: Json) => typeof value === "string" || (isObject(value) && typeof value.text === "string");

/** Members that say what a packet is; they are changed in the source, if at all. */
const FIXED = new Set(["handoff_version", "packet_type", "task_id", "from_agent", "to_agent", "status", "contract", "digest"]);

/** Returns the members that a form can show; the rest is for the source view. */
export function formFields(document: Document): Field[] {
  return Object.entries(document).flatMap(([name, value]): Field[] => {
    if (FIXED.has(name)) return [];
    if (typeof value === "string") return [{ name, kind: "text" }];
    if (Array.isArray(value) && value.length > 0 && value.every(isPair)) return [{ name, kind: "pairs" }];
    if (Array.isArray(value) && value.every(isItem)) return [{ name, kind: "list" }];
    if (isObject(value) && Object.values(value).every(isScalar)) return [{ name, kind: "pairs" }];
    return [];
  });
}

/** Reads a typed text as the type that the value had: a number stays a number. */
export function retype(before: Json | undefined, typed: string): Json {
  if (typeof before === "number" && typed.trim() !== "" && Number.isFinite(Number(typed))) return Number(typed);
  if (typeof before === "boolean" && (typed === "true" || typed === "false")) return typed === "true";
  if (before === null && typed === "") return null;
  return typed;
}

/** Returns the text of an item of a list. */
export function itemText(item: Json): string {
  return isObject(item) && typeof item.text === "string" ? item.text : String(item);
}

/** Changes the text of an item and keeps its other members. */
export function withItemText(item: Json, text: string): Json {
  return isObject(item) ? { ...item, text } : text;
}

export interface Pair {
  label: string;
  value: Json;
}

/** Returns labelled values, from a list of pairs or an object. */
export function pairsOf(value: Json): Pair[] {
  if (Array.isArray(value)) return value.filter(isPair);
  return isObject(value) ? Object.entries(value).map(([label, one]) => ({ label, value: one })) : [];
}

/** Puts labelled values back into the shape that they had. */
export function withPairs(before: Json, pairs: Pair[]): Json {
  if (Array.isArray(before)) return pairs.map(({ label, value }) => ({ label, value }));
  return Object.fromEntries(pairs.map(({ label, value }) => [label, value]));
}

/** Parses the source view. */
export function parseSource(source: string): { document?: Document; problem?: string } {
  try {
    const document = JSON.parse(source) as Json;
    return isObject(document) ? { document } : { problem: "The source must be one JSON object." };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Makes a field name readable. */
export function fieldLabel(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
