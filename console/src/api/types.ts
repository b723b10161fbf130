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

/** The rule, gate, limit, trigger or earlier handoff behind one reason of a hold. */
export interface HoldCause {
  reason: string;
  /** Such as `rule:money-movement`, `gate:release`, `trigger:error`, `handoff:hof_…`, `holder`. */
  by: string;
  text: string;
}

/** The deadline that a handoff misses next. */
export type DueFor =
  | "decide"
  | "deliver"
  | "claim"
  | "start"
  | "progress"
  | "return"
  | "verify"
  | "no_progress"
  | "lease"
  | "expires"
  | "gate"
  | "signature"
  | "receiver"
  | "end";

/** A rung of a fallback ladder; the last one is `dead_letter`. */
export interface LadderRung {
  to: string;
  after?: string;
  on?: string;
  /** The handoff has come to it or past it. */
  used: boolean;
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
  causes?: HoldCause[];
  /** The people or roles that may decide; a person must belong to each of them. */
  deciders?: string[];
  gates?: GateStatus[];
  action?: { id: string; digest: string };
  confidence?: number;
  trigger?: string;
  classification?: string;
  contract?: string;
  parent?: string;
  child?: string;
  questions?: string[];
  /** The first question that the person must answer; only the inbox has it. */
  question?: string;
  /** The person in whose place the caller decides, as their deputy. */
  in_place_of?: string;
  blocked?: boolean;
  declined_by?: string[];
  returned_by?: string;
  /** The return packet that waits for a verdict, which the verdict names. */
  return_id?: string;
  judge?: string;
  person_judges?: boolean;
  rung?: number;
  reworks?: number;
  checkpoints?: number;
  steps?: StepCounts;
  /** The last sign of life of the holder. */
  alive_at?: string;
  since?: string;
  due_at?: string;
  due_for?: DueFor;
  /** Where it goes when that deadline passes. */
  next_rung?: { to: string; at: string; on: string };
  not_before?: string;
  delivered_at?: string;
  started_at?: string;
  notification_failure?: NotificationFailure;
}

export interface StepCounts {
  done: number;
  left: number;
}

/** A step of a task; its number stays the same while other steps are completed. */
export interface Step {
  number: number;
  text: string;
  by?: string;
  at?: string;
}

/** The steps that are done and left now. */
export interface Progress {
  done: Step[];
  left: Step[];
  alive_at?: string;
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
  seconds?: number;
  opened?: string[];
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

/** A decision about a handoff. */
export interface DecisionSummary {
  id: string;
  decision: string;
  by: string;
  /** The person in whose place a deputy decided. */
  on_behalf_of?: string;
  at: string;
  revision?: number;
  digest?: string;
  reason?: string;
  meaning?: string;
  gate?: string;
  opened?: string[];
  seconds?: number;
}

/** The statement that a receiver made with its claim. */
export interface ClaimStatement {
  id: string;
  by: string;
  at: string;
  read_back?: { [name: string]: Json };
  drift?: { [name: string]: Json };
}

/** The latest decision about an action of the holder. */
export interface Approval {
  decision: string;
  result: "approved" | "edited" | "rejected";
  by: string;
  at: string;
  reason?: string;
  /** The digest of the action that the holder asked for. */
  requested: string;
  /** The action that the holder may run; none if it was rejected. */
  action?: Json;
}

export interface HandoffDetails {
  handoff: Handoff;
  packet?: Packet;
  action?: Json;
  approval?: Approval;
  questions?: OpenQuestion[];
  decisions?: DecisionSummary[];
  ladder?: LadderRung[];
  /** The claim of the caller, if the caller holds the handoff. */
  claim?: Claim;
  /** The commands that state and rules allow the caller now. */
  allowed?: string[];
  progress?: Progress;
  claim_statement?: ClaimStatement;
  return?: ReturnDetails;
}

/** A failure that the person has not acknowledged. */
export interface Failure {
  kind: "rejected" | "dead" | "notification_failed";
  /** The number that an acknowledgement names. */
  n: number;
  since: string;
  cause?: string;
  by?: string;
  reason?: string;
}

/** A handoff in an inbox: it waits for the person, or failed, or both. */
export interface InboxItem extends Handoff {
  waits: boolean;
  failure?: Failure;
}

/** A checkpoint of a holder. */
export interface Checkpoint {
  n: number;
  by: string;
  at: string;
  /** The checkpoint in one line. */
  text: string;
  /** The steps after it. */
  steps: StepCounts;
  packet: Packet;
}

/** A version of an action that a holder asked approval for. */
export interface ActionVersion {
  n: number;
  id: string;
  digest: string;
  by: string;
  at: string;
  action: Json;
}

export interface InboxPage {
  party: string;
  handoffs: Handoff[];
  /** Only the first page has them. */
  failures?: (Failure & { handoff: Handoff })[];
  as_of_n: number;
  as_of: string;
  more: boolean;
  next?: string;
}

export interface Page<T> {
  items: T[];
  next?: string;
}

/** The distribution of a value. */
export interface Spread {
  count: number;
  median: number;
  p95: number;
}

/** The events of one hour. */
export interface HourActivity {
  start: string;
  submitted: number;
  held: number;
  moved_on: number;
  dead: number;
  done: number;
}

/** The work between a sender and the first receiver. */
export interface EdgeActivity {
  from: string;
  to: string;
  handoffs: number;
  by_hour: number[];
  /** Seconds from submission to the first claim. */
  waiting?: Spread | null;
  /** Seconds from a claim to its return. */
  working?: Spread | null;
}

/** The last hours of a project. */
export interface Overview {
  from: string;
  until: string;
  hours: HourActivity[];
  edges: EdgeActivity[];
  /** False if the period has more leaves than were read. */
  complete: boolean;
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
  risk?: Risk;
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
  skills?: string[];
  /** The last absence of a person, which may be over. */
  absence?: { deputy: string; from: string; until: string };
  sends_for?: string[];
}

export interface Whoami {
  party: string;
  kind: "agent" | "human" | "clock" | "system";
  project: string | null;
  scopes: Scope[];
  /** The projects that the person is in. */
  projects?: { project: string; id: string; halted: boolean }[];
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

/** How long the person looked, and what they opened. */
export interface Looked {
  seconds: number;
  opened: string[];
}

/** The version that was shown to the person who decides. */
export interface Seen extends Looked {
  revision: number;
  digest: string;
  receiver: string;
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

/** The handoff that a mailed code decides about, as much of it as a message may show. */
export interface MailCode {
  project: string;
  handoff: string;
  task: string;
  person: string;
  from: string;
  to: string;
  revision: number;
  risk: Risk;
  state: State;
  /** The code can still decide: the handoff is held at this revision. */
  open: boolean;
  goal?: string;
  action?: string;
  causes?: HoldCause[];
  expires_at: string;
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
