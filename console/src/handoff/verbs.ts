// Which decisions a person may take, and what each of them does. The exchange checks the same rules again.

import type { Handoff, Party, Scope } from "../api/types";
import { isHeldBeyondGates, openGates } from "./causes";

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

/** Returns the verbs that state and role allow, the most likely one first. */
export function allowedVerbs(handoff: Handoff, viewer: Viewer): Verb[] {
  const can = (scope: Scope) => viewer.scopes.includes(scope);
  switch (handoff.state) {
    case "held":
      return held(handoff, viewer, can);
    case "offered":
      return offered(handoff, viewer, can);
    case "claimed":
      return claimed(handoff, viewer, can);
    case "returned":
      return returned(handoff, viewer, can);
    case "dead":
      return can("admin") ? ["redrive", "discard"] : [];
    default:
      return [];
  }
}

type Can = (scope: Scope) => boolean;

const mayCancel = (handoff: Handoff, viewer: Viewer, can: Can) => can("decide") || isSender(handoff, viewer);

function held(handoff: Handoff, viewer: Viewer, can: Can): Verb[] {
  const verbs: Verb[] = [];
  const isAsking = handoff.action !== undefined && handoff.holder === viewer.name;
  const sender = isSender(handoff, viewer);
  const isDecider = can("decide") && (handoff.deciders ?? []).every((party) => isOrIn(viewer, party));
  const hasQuestions = (handoff.questions?.length ?? 0) > 0;
  if (hasQuestions && (sender || isAsking)) verbs.push("answer");
  if (isDecider && !sender && !isAsking) {
    if (isHeldBeyondGates(handoff)) verbs.push("accept");
    if (gatesToSign(handoff, viewer).length > 0) verbs.push("sign_off");
    verbs.push("edit", "reject");
  } else if (!handoff.action && (sender || can("decide"))) {
    verbs.push("edit");
  }
  if (can("decide") || sender) verbs.push("reroute");
  if (isDecider && openGates(handoff).length === 0 && !isAsking) verbs.push("intercept");
  if (isDecider && !sender && !isAsking) verbs.push("ask");
  if (mayCancel(handoff, viewer, can)) verbs.push("cancel");
  return verbs;
}

function offered(handoff: Handoff, viewer: Viewer, can: Can): Verb[] {
  const verbs: Verb[] = [];
  const sender = isSender(handoff, viewer);
  const isReceiver = isOrIn(viewer, handoff.to) && !handoff.declined_by?.includes(viewer.name);
  if (sender && (handoff.questions?.length ?? 0) > 0) verbs.push("answer");
  if (isReceiver && can("receive")) {
    if (!handoff.blocked) verbs.push("claim");
    verbs.push("decline", "ask");
  }
  if (can("decide") || sender) verbs.push("edit", "reroute");
  if (can("decide") && !isReceiver) verbs.push("intercept");
  if (mayCancel(handoff, viewer, can)) verbs.push("cancel");
  return verbs;
}

function claimed(handoff: Handoff, viewer: Viewer, can: Can): Verb[] {
  const isMine = handoff.holder === viewer.name;
  // A parent that was passed on takes no write until its child ends.
  const verbs: Verb[] = isMine && !handoff.child ? ["return", "release"] : [];
  if (can("decide") || isSender(handoff, viewer)) verbs.push("reroute");
  if (can("decide") && !isMine) verbs.push("intercept");
  if (mayCancel(handoff, viewer, can)) verbs.push("cancel");
  return verbs;
}

function returned(handoff: Handoff, viewer: Viewer, can: Can): Verb[] {
  const verbs: Verb[] = [];
  // Sessions belong to people, and a person may judge every return but their own.
  if (can("verify") && handoff.returned_by !== viewer.name) verbs.push("pass", "fail");
  if (mayCancel(handoff, viewer, can)) verbs.push("cancel");
  return verbs;
}
