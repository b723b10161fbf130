import { describe, expect, test } from "vitest";
import { item } from "../testing/item";
import { payload, rest, rungsAhead } from "./packet";

describe("the rungs ahead", () => {
  const contract = { fallback: [{ to: "role:oncall", after: "15m" }, { to: "role:queue" }] };

  test("are those of the exchange", () => {
    const ladder = [
      { to: "role:oncall", used: true },
      { to: "role:queue", used: false },
    ];
    expect(rungsAhead({ handoff: item("hof_1"), ladder }, contract).map(({ to }) => to)).toEqual(["role:queue", "dead_letter"]);
  });

  test("else those of the packet or the contract, and the dead letter at the end", () => {
    expect(rungsAhead({ handoff: item("hof_1", { rung: 1 }) }, contract)).toEqual([{ to: "role:queue" }, { to: "dead_letter" }]);
    const packet = { fallback: [{ to: "ana" }] };
    expect(rungsAhead({ handoff: item("hof_1"), packet }, contract).map(({ to }) => to)).toEqual(["ana", "dead_letter"]);
  });
});

test("a payload is a list of pairs or an object, in the order of the packet", () => {
  expect(payload({ payload: [{ label: "b", value: 1 }, "loose"] })).toEqual([
    { label: "b", value: 1 },
    { label: "", value: "loose" },
  ]);
  expect(payload({ payload: { b: 1, a: 2 } }).map(({ label }) => label)).toEqual(["b", "a"]);
});

test("nothing of a packet is left unseen", () => {
  expect(rest({ goal: "g", context: { node: "22" }, x_note: "hidden?" })).toEqual([
    { label: "context", value: { node: "22" } },
    { label: "x_note", value: "hidden?" },
  ]);
});
