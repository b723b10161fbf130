import { expect, test } from "vitest";
import type { Event, Handoff, Party } from "../api/types";
import { cardsOf, KEPT, matches, readFeedFilter, receive, showAll, summaryLine } from "./feed";
import { ANYONE, counted, holdingsOf, OPERATORS, waitsFor } from "./holdings";

const event = (n: number, more: Partial<Event> = {}): Event => ({
  n,
  at: `2026-11-16T13:00:${String(n % 60).padStart(2, "0")}Z`,
  type: "handoff.claimed",
  actor: "codex-2",
  handoff: `hof_${n}`,
  ...more,
});
const EMPTY = { shown: [], waiting: [] };
const numbers = (events: Event[]) => events.map(({ n }) => n);

test("what comes while the list is being read waits, and nothing is lost or doubled", () => {
  let feed = receive(EMPTY, [event(1), event(2)], true);
  expect(numbers(feed.shown)).toEqual([2, 1]);
  feed = receive(feed, [event(3)], false);
  feed = receive(feed, [event(2), event(3), event(4)], false);
  expect([numbers(feed.shown), numbers(feed.waiting)]).toEqual([[2, 1], [4, 3]]);
  expect(numbers(showAll(feed).shown)).toEqual([4, 3, 2, 1]);
  expect(numbers(receive(feed, [], true).shown)).toEqual([4, 3, 2, 1]);
});

test("steps without news and entries about no handoff are no cards, and a long feed is cut", () => {
  const quiet = [event(1, { type: "handoff.delivered" }), { n: 2, at: "", type: "party.added", actor: "ana" }];
  expect(receive(EMPTY, quiet, true)).toEqual(EMPTY);
  const many = Array.from({ length: KEPT + 50 }, (_, index) => event(index));
  expect(receive(EMPTY, many, true).shown).toHaveLength(KEPT);
});

test("the events of one command are one card", () => {
  const at = "2026-11-16T13:00:00Z";
  const submitted = event(1, { at, handoff: "hof_a", type: "handoff.submitted" });
  const held = event(2, { at, handoff: "hof_a", type: "handoff.held", after: "held", risk: "high", task: "Build-42" });
  const cards = cardsOf([event(3), held, submitted]);
  expect(cards.map((card) => [card.event.n, numbers(card.events)])).toEqual([[3, [3]], [2, [1, 2]]]);
  const [, card] = cards;
  if (!card) throw new Error("no card");
  expect(matches(card, { state: "held", risk: "high", task: "build", party: "codex-2" })).toBe(true);
  for (const filter of [{ state: "done" as const }, { risk: "low" as const }, { task: "other" }, { party: "ana" }]) {
    expect(matches(card, filter)).toBe(false);
  }
  expect(readFeedFilter({ state: "held", risk: "huge", party: "", task: "b" })).toEqual({ state: "held", task: "b" });
});

test("the spoken summary counts, and says what needs the person", () => {
  expect(summaryLine(0, 0)).toBe("");
  expect(summaryLine(1, 0)).toBe("1 step in the last 5 seconds.");
  expect(summaryLine(5, 1)).toBe("5 steps in the last 5 seconds, 1 needs you.");
});

const handoff = (id: string, more: Partial<Handoff>): Handoff => ({
  id,
  task: id,
  state: "offered",
  from: "ana",
  to: "codex-2",
  revision: 1,
  digest: "",
  risk: "low",
  attempt: 1,
  submitted_at: "2026-11-16T13:00:00Z",
  ...more,
});

test("each party has what it holds and what waits for it", () => {
  const parties: Party[] = [
    { id: "1", name: "codex-2", kind: "agent" },
    { id: "2", name: "ana", kind: "human" },
    { id: "3", name: "idle-1", kind: "agent" },
    { id: "4", name: "role:oncall", kind: "role", members: ["ana"] },
  ];
  const rows = holdingsOf(
    [
      handoff("new", { since: "2026-11-16T14:00:00Z" }),
      handoff("old", { since: "2026-11-16T12:00:00Z" }),
      handoff("mine", { state: "claimed", holder: "codex-2" }),
      handoff("back", { state: "returned", returned_by: "codex-2" }),
      handoff("held", { state: "held", deciders: ["role:oncall", "ana"] }),
      handoff("action", { state: "held", holder: "codex-2", deciders: ["ana"] }),
    ],
    parties,
  );
  const row = (name: string) => rows.find(({ party }) => party === name);
  expect(row("codex-2")?.holds.map(({ id }) => id)).toEqual(["mine", "action"]);
  expect(row("codex-2")?.waits.map(({ id }) => id)).toEqual(["old", "new"]);
  expect(row("ana")?.waits.map(({ id }) => id)).toEqual(["back", "held", "action"]);
  expect(row("role:oncall")).toMatchObject({ kind: "role", members: 1 });
  expect(rows.map(({ party }) => party)).toEqual(["codex-2", "ana", "role:oncall", "idle-1"]);
  expect(counted(rows)).toEqual({ working: 1, waiting: 2, idle: 1 });
  expect(waitsFor(handoff("x", { state: "done" }))).toEqual([]);
  expect(waitsFor(handoff("x", { state: "held" }))).toEqual([ANYONE]);
  expect(waitsFor(handoff("x", { state: "dead" }))).toEqual([OPERATORS]);
});
