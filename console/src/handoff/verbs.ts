// The verbs of a person: those that the exchange allows, in the order in which they are shown.

import type { Handoff, Party, Scope } from "../api/types";
import { openGates } from "./causes";

export type Verb =
  | "accept"
  | "sign_off"
  | "claim"
  | "pass"
  | "answer"
  | "return"
  | "redrive"
  | "edit"
  | "reject"
  | "deny"
  | "decline"
  | "fail"
  | "release"
  | "discard"
  | "reroute"
  | "intercept"
  | "ask"
  | "cancel"
  | "acknowledge";

/** The person who looks. */
export interface Viewer {
  name: string;
  scopes: Scope[];
  /** The roles of the person. */
  roles: string[];
  /** The parties in whose name the person may send. */
  sendsFor: string[];
}

/** Returns a viewer with the roles that the directory gives. */
export function viewerOf(name: string, scopes: Scope[], parties: Party[]): Viewer {
  const roles = parties.filter((party) => party.kind === "role" && party.members?.includes(name));
  const own = parties.find((party) => party.name === name);
  return { name, scopes, roles: roles.map((role) => role.name), sendsFor: own?.sends_for ?? [] };
}

const isOrIn = (viewer: Viewer, party: string) => party === viewer.name || viewer.roles.includes(party);

export function isSender(handoff: Handoff, viewer: Viewer): boolean {
  return isOrIn(viewer, handoff.from) || viewer.sendsFor.includes(handoff.from);
}

/** Returns the gates where a signature of the person is still missing. */
export function gatesToSign(handoff: Handoff, viewer: Viewer) {
  const open = openGates(handoff);
  return (handoff.gates ?? []).filter((gate) => {
    const spoken = [...gate.factors.flatMap((factor) => factor.signed ?? []), ...(gate.denied ?? [])];
    const isMissing = gate.factors.some(
      (factor) =>
        (factor.signed?.length ?? 0) < factor.needed && factor.roles.some((role) => viewer.roles.includes(role)),
    );
    const isOpen = open.some((name) => name === gate.name || gate.name.startsWith(`${name}@`));
    return isOpen && isMissing && !spoken.some((signature) => signature.by === viewer.name);
  });
}

const ORDER: Verb[] = ["answer", "accept", "sign_off", "claim", "pass", "fail", "return", "release", "redrive", "discard"];
const REST: Verb[] = ["decline", "edit", "reject", "reroute", "intercept", "ask", "cancel"];

/** Returns the verbs that the exchange allows, the most likely one first. To refuse a signature is part of signing. */
export function verbsOf(allowed: string[]): Verb[] {
  const names = new Set(allowed.flatMap((name) => (name === "verify" ? ["pass", "fail"] : [name])));
  return [...ORDER, ...REST].filter((verb) => names.has(verb));
}
