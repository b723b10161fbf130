// The types of schemas/openapi.json that the console uses.

export type State =
  | "held"
  | "offered"
  | "claimed"
  | "returned"
  | "done"
  | "passed_on"
  | "rejected"
  | "cancelled"
  | "discarded"
  | "dead";
export type Risk = "low" | "medium" | "high";
export type Scope = "submit" | "receive" | "read" | "decide" | "verify" | "admin";
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Packet = { [field: string]: Json };

export interface Signature {
  by: string;
  at: string;
  until?: string;
  reason?: string;
}

export interface GateFactor {
  name: string;
  roles: string[];
  needed: number;
  signed?: Signature[];
}

export interface GateStatus {
  name: string;
  factors: GateFactor[];
  denied?: Signature[];
}

export interface NotificationFailure {
  event: number;
  wait: "offer" | "hold" | "question" | "escalation";
  because: "no_channel" | "failed" | "mail_failed";
  at: string;
  party?: string;
}

export interface Handoff {
  id: string;
  task: string;
  state: State;
  from: string;
  to: string;
  revision: number;
  digest: string;
  risk: Risk;
  attempt: number;
  submitted_at: string;
  goal?: string;
  holder?: string;
  held_for?: string[];
  gates?: GateStatus[];
  action?: { id: string; digest: string };
  confidence?: number;
  trigger?: string;
  classification?: string;
  contract?: string;
  parent?: string;
  child?: string;
  questions?: string[];
  blocked?: boolean;
  declined_by?: string[];
  returned_by?: string;
  judge?: string;
  person_judges?: boolean;
  rung?: number;
  reworks?: number;
  checkpoints?: number;
  since?: string;
  due_at?: string;
  not_before?: string;
  delivered_at?: string;
  started_at?: string;
  notification_failure?: NotificationFailure;
}

export interface OpenQuestion {
  id: string;
  by: string;
  question: string;
  blocking: boolean;
  field?: string;
}

export interface Verdict {
  id: string;
  result: "pass" | "fail";
  by: string;
  at: string;
  reason?: string;
}

export interface ReturnDetails {
  id: string;
  handoff: string;
  by: string;
  at: string;
  digest: string;
  packet: Packet;
  verdict?: Verdict;
}

export interface HandoffDetails {
  handoff: Handoff;
  packet?: Packet;
  action?: Json;
  questions?: OpenQuestion[];
  return?: ReturnDetails;
}

export interface InboxPage {
  party: string;
  handoffs: Handoff[];
  as_of_n: number;
  as_of: string;
  more: boolean;
  next?: string;
}

export interface Page<T> {
  items: T[];
  next?: string;
}

export interface Event {
  n: number;
  at: string;
  type: string;
  actor: string;
  handoff?: string;
  task?: string;
  from?: string;
  to?: string;
  revision?: number;
  before?: State;
  after?: State;
  reason?: string;
  attributes?: { [name: string]: Json };
}

export interface Found {
  n: number;
  handoff: string | null;
  kind: string;
  excerpt: string;
}

export interface Party {
  id: string;
  name: string;
  kind: "agent" | "human" | "role";
  members?: string[];
  sends_for?: string[];
}

export interface Whoami {
  party: string;
  kind: "agent" | "human" | "clock" | "system";
  project: string | null;
  scopes: Scope[];
}

export interface Claim {
  id: string;
  handoff: string;
  holder: string;
  fence: number;
  until: string;
}

export interface Answer {
  n?: number;
  handoff?: Handoff;
  claim?: Claim;
  repeated?: boolean;
  notes?: string[];
}

/** The version that was shown to the person who decides. */
export interface Seen {
  revision: number;
  digest: string;
  receiver: string;
  seconds: number;
  opened: string[];
}

export interface DecisionRequest extends Seen {
  decision: "accept" | "sign_off" | "reject" | "reroute" | "intercept" | "cancel";
  reason?: string;
  to?: string;
  gate?: string;
  meaning?: string;
  deny?: boolean;
  password?: string;
}

export interface PolicyShown {
  document: { [name: string]: Json } | null;
  digest: string | null;
}

export interface Violation {
  code: string;
  pointer: string;
  message: string;
  hint?: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  hint?: string;
  violations?: Violation[];
  handoff?: string;
}

export interface Session {
  person: string;
  expires_at: string;
}
