import { expect, test } from "vitest";
import { compareVersions, lacksFallback, newest, readContract } from "./contract";
import { layOutGraph } from "./graph";

const contract = (name: string, from: string, to: string, more: Record<string, unknown> = {}) =>
  readContract({ contract: name, version: "1.0", from: [from], to: [to], ...more } as never);

const drawn = (rows: ReturnType<typeof layOutGraph>) =>
  rows.map(({ nodes, arrows }) => [
    nodes.map((node) => node.name).join(" "),
    ...arrows.map(({ kind, from, to, label }) => `${kind} ${nodes[from]?.name} ${nodes[to]?.name} ${label}`),
  ]);

test("a chain of contracts is one row, and the ladder of its end follows", () => {
  const fallback = [{ to: "role:oncall" }, { to: "role:people", after: "15m" }, { to: "dead_letter" }];
  const rows = layOutGraph([contract("b", "correlator", "role:investigator", { fallback }), contract("a", "monitor", "correlator")]);
  expect(drawn(rows)).toEqual([
    [
      "monitor correlator role:investigator role:oncall role:people",
      "handoff monitor correlator a@1.0",
      "handoff correlator role:investigator b@1.0",
      "fallback role:investigator role:oncall fallback",
      "fallback role:oncall role:people after 15m",
    ],
  ]);
});

test("the way back is drawn beside its edge, and a loop ends", () => {
  const rows = layOutGraph([contract("review", "coder", "reviewer"), contract("rework", "reviewer", "coder")]);
  expect(drawn(rows)).toEqual([["coder reviewer", "handoff coder reviewer review@1.0", "return reviewer coder rework@1.0"]]);
  const loop = layOutGraph([contract("a", "x", "y"), contract("b", "y", "z"), contract("c", "z", "x")]);
  expect(loop.flatMap((row) => row.arrows).map((arrow) => arrow.label).toSorted()).toEqual(["a@1.0", "b@1.0", "c@1.0"]);
});

test("a fan-out needs a row for each branch, and no edge is lost", () => {
  const all = [contract("a", "x", "y"), contract("b", "x", "z"), contract("c", "y", "w"), contract("d", "z", "w")];
  const rows = layOutGraph(all);
  expect(rows.flatMap((row) => row.arrows.map((arrow) => arrow.label)).toSorted()).toEqual(["a@1.0", "b@1.0", "c@1.0", "d@1.0"]);
  const several = readContract({ contract: "m", version: "2.0", from: ["p", "q"], to: ["r", "s"], gates: ["g"] });
  const arrows = layOutGraph([several]).flatMap((row) => row.arrows);
  expect(arrows.length).toBe(4);
  expect(arrows.every((arrow) => arrow.gates[0] === "g")).toBe(true);
});

test("versions are compared by their numbers, and the newest one is shown", () => {
  expect(compareVersions("1.10", "1.9")).toBeGreaterThan(0);
  expect(compareVersions("2.0", "2.0")).toBe(0);
  const all = [{ contract: "b", version: "1.9" }, { contract: "b", version: "1.10" }, { contract: "a", version: "1.0" }];
  expect(newest(all)).toEqual([{ contract: "a", version: "1.0" }, { contract: "b", version: "1.10" }]);
});

test("a contract without a rung lacks a fallback unless the project has one", () => {
  const bare = contract("a", "x", "y");
  expect(lacksFallback(bare, [])).toBe(true);
  expect(lacksFallback(bare, [{ to: "role:oncall" }])).toBe(false);
  expect(lacksFallback(contract("a", "x", "y", { fallback: [{ to: "dead_letter" }] }), [{ to: "role:oncall" }])).toBe(true);
  expect(lacksFallback(contract("a", "x", "y", { fallback: [{ to: "z" }] }), [])).toBe(false);
});

test("the facts of a contract are read from its document, and what is missing is left out", () => {
  const { facts } = contract("a", "x", "y", {
    confidence: { hold_below: 0.7, auto_progress_at: 0.8 },
    lease: { for: "120s", attempts: 3 },
    deadlines: { claim: "60s", no_progress: "5m" },
    decide: { by: "role:finance", escalate_after: "4h" },
    fallback: [{ to: "role:oncall" }, { to: "dead_letter" }],
    compatible_with: ["1.0"],
  });
  expect(facts).toEqual([
    ["Confidence", "hold below 70 %, go on at 80 %"],
    ["Lease", "120s, attempts 3"],
    ["Deadlines", "claim 60s, no progress 5m"],
    ["Decided by", "role:finance, then any person after 4h"],
    ["Fallback", "role:oncall, dead letter"],
    ["Reads", "1.0"],
  ]);
  expect(contract("a", "x", "y").facts).toEqual([]);
});
