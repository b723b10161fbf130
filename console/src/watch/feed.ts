// The stream as cards: what is shown, and what waits until the person wants to see it.

import type { Event, Risk, State } from "../api/types";

/** LIMIT: events that the page keeps. */
export const KEPT = 400;

export interface Feed {
  /** Newest first. */
  shown: Event[];
  /** What came while the list was paused or being read, newest first. */
  waiting: Event[];
}

const QUIET = new Set(["handoff.delivered", "handoff.started", "handoff.adopted"]);

/** Adds events. They are shown at once while the feed flows, and otherwise wait. */
export function receive(feed: Feed, events: Event[], flows: boolean): Feed {
  const known = new Set([...feed.shown, ...feed.waiting].map(({ n }) => n));
  const fresh = events.filter(({ n, handoff, type }) => handoff && !known.has(n) && !QUIET.has(type));
  if (fresh.length === 0) return flows && feed.waiting.length > 0 ? showAll(feed) : feed;
  const next = { ...feed, waiting: sorted([...feed.waiting, ...fresh]) };
  return flows ? showAll(next) : next;
}

/** Shows everything that waits. */
export function showAll({ shown, waiting }: Feed): Feed {
  return { shown: sorted([...waiting, ...shown]), waiting: [] };
}

const sorted = (events: Event[]) => events.toSorted((one, other) => other.n - one.n).slice(0, KEPT);

export interface Card {
  /** The event that says most: the last one of its command. */
  event: Event;
  /** All events of the command, by number. */
  events: Event[];
}

/** Returns a card for each command: its events are about one handoff and have one time. */
export function cardsOf(events: Event[]): Card[] {
  const cards: Card[] = [];
  for (const event of events) {
    const last = cards.at(-1);
    if (last && last.event.handoff === event.handoff && last.event.at === event.at) last.events.unshift(event);
    else cards.push({ event, events: [event] });
  }
  return cards;
}

export interface FeedFilter {
  party?: string;
  state?: State;
  risk?: Risk;
  /** A part of the name of the task. */
  task?: string;
}

/** Returns whether a card meets every condition. */
export function matches({ event, events }: Card, { party, state, risk, task }: FeedFilter): boolean {
  if (party && !events.some((one) => [one.actor, one.from, one.to].includes(party))) return false;
  if (state && event.after !== state) return false;
  if (risk && event.risk !== risk) return false;
  return !task || (event.task ?? "").toLowerCase().includes(task.toLowerCase());
}

const STATES: State[] = ["held", "offered", "claimed", "returned", "done", "passed_on", "rejected", "cancelled", "discarded", "dead"];
const RISKS: Risk[] = ["high", "medium", "low"];

/** Reads the filter of the live page from its address. */
export function readFeedFilter(search: Record<string, unknown>): FeedFilter {
  const state = STATES.find((one) => one === search.state);
  const risk = RISKS.find((one) => one === search.risk);
  return {
    ...(typeof search.party === "string" && search.party ? { party: search.party } : {}),
    ...(state ? { state } : {}),
    ...(risk ? { risk } : {}),
    ...(typeof search.task === "string" && search.task ? { task: search.task } : {}),
  };
}

/** Says in one line what came, for screen readers. */
export function summaryLine(count: number, needsMe: number): string {
  if (count === 0) return "";
  const words = `${count} ${count === 1 ? "step" : "steps"} in the last 5 seconds`;
  return needsMe > 0 ? `${words}, ${needsMe} ${needsMe === 1 ? "needs" : "need"} you.` : `${words}.`;
}
