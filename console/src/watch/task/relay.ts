// The relay of a task: who had the work when, from its events.

import type { Event, Handoff, State } from "../../api/types";

/** What a stretch of time was: waiting for a receiver, held for a person, worked on, or being judged. */
export type StretchKind = "wait" | "hold" | "claim" | "judge";

export interface Stretch {
  kind: StretchKind;
  handoff: string;
  /** The party that has it: the receiver, the person who decides, the holder, or the judge. */
  lane: string;
  from: number;
  /** Undefined while it lasts. */
  until: number | undefined;
  fence?: number;
  /** The event that ended it. */
  ended?: Event;
  checkpoints: Event[];
}

/** A hand-over from one party to another. */
export interface Pass {
  number: number;
  from: string;
  to: string;
  left: number;
  arrived: number;
  handoff: string;
  /** What the work came to the other party for. */
  kind: StretchKind;
}

/** Something that went wrong, or was asked, at a point in time. */
export interface Mark {
  lane: string;
  at: number;
  event: Event;
}

export interface Relay {
  lanes: string[];
  stretches: Stretch[];
  passes: Pass[];
  marks: Mark[];
  start: number;
  /** The end of the last event, or now while the task is open. */
  end: number;
  isOpen: boolean;
}

const KINDS: Partial<Record<State, StretchKind>> = { held: "hold", offered: "wait", claimed: "claim", returned: "judge" };

const FAILS = new Set(
  ["lapsed", "declined", "failed_verification", "rejected", "denied", "died", "cancelled", "notification_failed"].map(
    (name) => `handoff.${name}`,
  ),
);
const ASKS = new Set(["handoff.asked", "handoff.answered"]);
const TAKES = new Set(["handoff.claimed", "handoff.begun", "handoff.intercepted", "handoff.adopted"]);

/** The lane of decisions that no named person has made. */
export const PEOPLE = "people";

/** Builds the relay of a task. Events are those of all of its handoffs, by number. */
export function relayOf(handoffs: Handoff[], events: Event[], now: number): Relay {
  const builders = new Map<string, Builder>();
  const first = Date.parse(events[0]?.at ?? "") || now;
  for (const event of events) {
    if (!event.handoff) continue;
    let builder = builders.get(event.handoff);
    if (!builder) {
      const handoff = handoffs.find(({ id }) => id === event.handoff);
      builder = new Builder(event.handoff, handoff);
      builders.set(event.handoff, builder);
    }
    builder.take(event);
  }
  const parts = [...builders.values()];
  const stretches = parts.flatMap((one) => one.stretches()).toSorted((one, other) => one.from - other.from);
  const isOpen = stretches.some((one) => one.until === undefined);
  const last = Date.parse(events.at(-1)?.at ?? "") || now;
  const passes = parts.flatMap((one) => one.passes()).toSorted((one, other) => one.left - other.left || one.arrived - other.arrived);
  const marks = parts.flatMap((one) => one.marks).toSorted((one, other) => one.at - other.at);
  return {
    lanes: lanesOf(passes, stretches, marks),
    stretches,
    passes: passes.map((pass, index) => ({ ...pass, number: index + 1 })),
    marks,
    start: first,
    end: isOpen ? Math.max(now, last) : last,
    isOpen,
  };
}

/** A receiver that was passed over at once did not wait. */
const lasts = ({ kind, from, until }: Stretch) => kind === "claim" || until !== from;

function lanesOf(passes: Pass[], stretches: Stretch[], marks: Mark[]): string[] {
  const seen = [
    ...passes.map((pass) => ({ at: pass.left, lane: pass.from })),
    ...stretches.map((one) => ({ at: one.from, lane: one.lane })),
    ...marks.map((mark) => ({ at: mark.at, lane: mark.lane })),
  ];
  return [...new Set(seen.toSorted((one, other) => one.at - other.at).map(({ lane }) => lane))];
}

/** Follows one handoff from state to state. */
class Builder {
  readonly marks: Mark[] = [];
  readonly #stretches: Stretch[] = [];
  readonly #id: string;
  readonly #handoff: Handoff | undefined;
  #current: Stretch | undefined;
  #holder = "";
  #sender = "";
  #submitted = 0;

  constructor(id: string, handoff: Handoff | undefined) {
    this.#id = id;
    this.#handoff = handoff;
  }

  stretches(): Stretch[] {
    return this.#stretches.filter(lasts);
  }

  /** The hand-overs between the parties that had the work, the first from its sender. */
  passes(): Pass[] {
    let [from, left] = [this.#sender, this.#submitted];
    const passes: Pass[] = [];
    for (const { kind, lane, from: arrived, until } of this.stretches()) {
      if (from && from !== lane) passes.push({ number: 0, from, to: lane, left: Math.min(left, arrived), arrived, handoff: this.#id, kind });
      [from, left] = [lane, until ?? arrived];
    }
    return passes;
  }

  take(event: Event): void {
    const at = Date.parse(event.at);
    this.#sender ||= event.from ?? "";
    this.#submitted ||= at;
    if (TAKES.has(event.type)) this.#holder = event.actor;
    if (event.type === "handoff.checkpointed") this.#current?.checkpoints.push(event);
    this.#mark(event, at);
    const kind = event.after ? KINDS[event.after] : undefined;
    // The events of one command name the states before and after all of it.
    if (this.#isGoingOn(kind, event)) return;
    this.#end(event, at);
    if (kind) this.#begin(kind, event, at);
  }

  #isGoingOn(kind: StretchKind | undefined, event: Event): boolean {
    const current = this.#current;
    if (!current || current.kind !== kind) return !current && !kind;
    if (kind === "claim") return !TAKES.has(event.type);
    if (kind === "wait") return !event.to || event.to === current.lane;
    return true;
  }

  #mark(event: Event, at: number): void {
    if (!FAILS.has(event.type) && !ASKS.has(event.type)) return;
    const ofClock = event.actor === "clock" || event.actor === "system";
    const lane = ofClock ? (this.#current?.lane ?? event.to ?? PEOPLE) : event.actor;
    this.marks.push({ lane, at, event });
  }

  #end(event: Event, at: number): void {
    const current = this.#current;
    if (!current) return;
    current.until = at;
    current.ended = event;
    // A hold is in the lane of the person who decided, a return in that of the party that judged.
    const decides = current.kind === "hold" || current.kind === "judge";
    if (decides && event.actor !== "clock" && event.actor !== "system") current.lane = event.actor;
    this.#current = undefined;
  }

  #begin(kind: StretchKind, event: Event, at: number): void {
    const lane = this.#laneOf(kind, event);
    const stretch: Stretch = { kind, handoff: this.#id, lane, from: at, until: undefined, checkpoints: [] };
    const fence = event.attributes?.fence;
    if (kind === "claim" && typeof fence === "number") stretch.fence = fence;
    this.#current = stretch;
    this.#stretches.push(stretch);
  }

  #laneOf(kind: StretchKind, event: Event): string {
    switch (kind) {
      case "claim":
        return this.#holder || event.actor;
      case "wait":
        return event.to ?? this.#handoff?.to ?? PEOPLE;
      case "hold":
        return this.#handoff?.deciders?.[0] ?? PEOPLE;
      case "judge":
        return this.#handoff?.judge ?? event.from ?? this.#sender;
    }
  }
}

/** Returns how long people kept the work waiting: holds, and returns that a person judges. */
export function waitedForPeople(relay: Relay, isPerson: (lane: string) => boolean): number {
  return relay.stretches
    .filter((one) => one.kind === "hold" || ((one.kind === "judge" || one.kind === "wait") && isPerson(one.lane)))
    .reduce((sum, one) => sum + ((one.until ?? relay.end) - one.from), 0);
}

/** Returns the newest part of a relay, with at most so many stretches. */
export function newestOf(relay: Relay, stretches: number): Relay {
  if (relay.stretches.length <= stretches) return relay;
  const kept = relay.stretches.slice(-stretches);
  const start = kept[0]?.from ?? relay.start;
  const passes = relay.passes.filter((pass) => pass.left >= start);
  const marks = relay.marks.filter((mark) => mark.at >= start);
  return { ...relay, stretches: kept, passes, marks, start, lanes: lanesOf(passes, kept, marks) };
}
