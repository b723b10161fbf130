// The sections of the operate pages, and who sees them.

import type { IconName } from "../components/Icon";
import { useMe } from "../session/me";

export const SECTIONS = {
  contracts: { word: "Contracts", icon: "contract" },
  gates: { word: "Gates", icon: "sign" },
  parties: { word: "Parties", icon: "role" },
  tokens: { word: "Tokens", icon: "key" },
  subscriptions: { word: "Subscriptions", icon: "hook" },
  dead: { word: "Dead letters", icon: "dead" },
  doctor: { word: "Doctor", icon: "log" },
} as const satisfies Record<string, { word: string; icon: IconName }>;

export type Section = keyof typeof SECTIONS;

export const isSection = (name: string): name is Section => name in SECTIONS;

const FOR_OPERATORS: Section[] = ["tokens", "doctor"];

/** Returns the sections that the exchange shows to someone with these scopes. */
export function sectionsFor(scopes: string[]): Section[] {
  const isOperator = scopes.includes("admin");
  return (Object.keys(SECTIONS) as Section[]).filter((section) => isOperator || !FOR_OPERATORS.includes(section));
}

export const useSections = (): Section[] => sectionsFor(useMe().viewer.scopes);
