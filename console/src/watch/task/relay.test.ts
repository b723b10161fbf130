import { expect, test } from "vitest";
import type { Event, State } from "../../api/types";
import { newestOf, PEOPLE, relayOf, waitedForPeople } from "./relay";
import { scaleOf } from "./scale";

const T0 = Date.parse("2026-11-16T13:00:00Z");
let next = 1;

/** An event of a number of minutes after the beginning. */
function event(minutes: number, name: string, actor: string, after: State | undefined, more: Partial<Event> = {}): Event {
  const at = new Date(T0 + minutes * 60_000).toISOString();
  return { n: next++, at, type: `handoff.${name}`, actor, handoff: "hof_1", from: "ana", to: "worker-1", ...(after ? { after } : {}), ...more };
}

const story = () => [
  event(0, "submitted", "ana", "held"),
  event(0, "held", "ana", "held"),
  event(4, "accepted", "ben", "offered"),
  event(5, "claimed", "worker-1", "claimed", { attributes: { fence: 1 } }),
  event(9, "checkpointed", "worker-1", "claimed", { attributes: { fence: 1 } }),
  event(20, "lapsed", "clock", "offered", { attributes: { fence: 1 } }),
  event(20, "moved_on", "clock", "offered", { to: "worker-2" }),
  event(22, "claimed", "worker-2", "claimed", { to: "worker-2", attributes: { fence: 2 } }),
  event(30, "returned", "worker-2", "returned", { to: "worker-2" }),
  event(33, "failed_verification", "reviewer", "offered", { to: "worker-2", reason: "no test" }),
  event(34, "claimed", "worker-2", "claimed", { to: "worker-2", attributes: { fence: 3 } }),
];

test("a relay has a stretch for each party that had the work, and a hand-over between two of them", () => {
  const relay = relayOf([], story(), T0 + 40 * 60_000);
  const shape = relay.stretches.map(({ kind, lane, from, until }) => [kind, lane, (from - T0) / 60_000, until && (until - T0) / 60_000]);
  expect(shape).toEqual([
    ["hold", "ben", 0, 4],
    ["wait", "worker-1", 4, 5],
    ["claim", "worker-1", 5, 20],
    ["wait", "worker-2", 20, 22],
    ["claim", "worker-2", 22, 30],
    ["judge", "reviewer", 30, 33],
    ["wait", "worker-2", 33, 34],
    ["claim", "worker-2", 34, undefined],
  ]);
  expect(relay.passes.map(({ number, from, to }) => `${number} ${from} > ${to}`)).toEqual([
    "1 ana > ben",
    "2 ben > worker-1",
    "3 worker-1 > worker-2",
    "4 worker-2 > reviewer",
    "5 reviewer > worker-2",
  ]);
  expect(relay.lanes).toEqual(["ana", "ben", "worker-1", "worker-2", "reviewer"]);
  expect(relay.stretches[2]?.checkpoints).toHaveLength(1);
  expect(relay.stretches[4]?.fence).toBe(2);
  expect(relay.marks.map(({ lane, event: { type } }) => [lane, type])).toEqual([
    ["worker-1", "handoff.lapsed"],
    ["reviewer", "handoff.failed_verification"],
  ]);
  expect(relay.isOpen).toBe(true);
  expect(relay.end).toBe(T0 + 40 * 60_000);
});

test("an approval in the middle of the work comes back to its holder", () => {
  const events = [
    event(0, "submitted", "ana", "offered"),
    event(1, "claimed", "worker-1", "claimed", { attributes: { fence: 1 } }),
    event(2, "held", "worker-1", "held"),
    event(5, "accepted", "ben", "claimed"),
    event(9, "returned", "worker-1", "done"),
    event(9, "done", "system", "done"),
  ];
  const relay = relayOf([], events, T0 + 99 * 60_000);
  expect(relay.stretches.map(({ kind, lane }) => `${kind} ${lane}`)).toEqual(["wait worker-1", "claim worker-1", "hold ben", "claim worker-1"]);
  expect(relay.isOpen).toBe(false);
  expect(relay.end).toBe(T0 + 9 * 60_000);
  expect(waitedForPeople(relay, () => false)).toBe(3 * 60_000);
});

test("a hold that no one has decided is in the lane of its deciders", () => {
  const held = [event(0, "submitted", "ana", "held"), event(0, "held", "ana", "held")];
  expect(relayOf([], held, T0).stretches[0]?.lane).toBe(PEOPLE);
  const handoff = { id: "hof_1", deciders: ["role:finance"] } as never;
  expect(relayOf([handoff], held, T0).stretches[0]?.lane).toBe("role:finance");
});

test("a picture of a long relay has its newest part", () => {
  const relay = relayOf([], story(), T0 + 40 * 60_000);
  const part = newestOf(relay, 3);
  expect(part.stretches.map(({ kind }) => kind)).toEqual(["judge", "wait", "claim"]);
  expect(part.passes.map(({ number }) => number)).toEqual([4, 5]);
  expect(part.lanes).toEqual(["worker-2", "reviewer"]);
  expect(newestOf(relay, 100)).toBe(relay);
});

test("the axis keeps the order, and every step can be seen", () => {
  const times = [T0, T0 + 1, T0 + 2, T0 + 3_600_000];
  const scale = scaleOf(times, T0, T0 + 3_600_000, 1000);
  const positions = times.map(scale.x);
  expect(positions[0]).toBe(0);
  expect(positions.at(-1)).toBeCloseTo(1000);
  positions.slice(1).forEach((x, index) => expect(x - (positions[index] ?? 0)).toBeGreaterThanOrEqual(29));
  expect(scale.x(T0 - 5)).toBe(0);
  expect(scale.x(T0 + 9e9)).toBe(scale.width);
  const many = Array.from({ length: 500 }, (_, index) => T0 + index * 1000);
  expect(scaleOf(many, T0, T0 + 500_000, 1000).width).toBeGreaterThan(15_000);
});
