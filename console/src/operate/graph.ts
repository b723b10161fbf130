// The graph of contracts, laid out in rows: each row follows the work from party to party, then down the ladder.
// A party may stand in several rows, so that no line crosses another.

import type { Contract } from "./contract";

export interface Node {
  name: string;
  column: number;
}

export interface Arrow {
  kind: "handoff" | "return" | "fallback";
  from: number;
  to: number;
  label: string;
  /** The contract that the arrow stands for. */
  identity?: string;
  /** The gates that it waits at. */
  gates: string[];
}

export interface GraphRow {
  nodes: Node[];
  arrows: Arrow[];
}

interface Edge {
  from: string;
  to: string;
  contract: Contract;
}

/** Lays out contracts: every edge stands in exactly one row. */
export function layOutGraph(contracts: Contract[]): GraphRow[] {
  const edges = contracts.flatMap((contract) =>
    contract.from.flatMap((from) => contract.to.map((to) => ({ from, to, contract }))),
  );
  const left = new Set(edges);
  const rows: GraphRow[] = [];
  while (left.size > 0) rows.push(rowFrom(firstOf(edges, left), edges, left));
  return rows;
}

/** The edge to begin a row with: one whose sender receives from no edge that is left. */
function firstOf(edges: Edge[], left: Set<Edge>): Edge {
  const open = edges.filter((edge) => left.has(edge));
  return open.find((edge) => !open.some((other) => other.to === edge.from && other.from !== edge.to)) ?? (open[0] as Edge);
}

function rowFrom(first: Edge, edges: Edge[], left: Set<Edge>): GraphRow {
  const names = [first.from];
  const arrows: Arrow[] = [];
  let edge: Edge | undefined = first;
  let last = first;
  while (edge) {
    left.delete(edge);
    names.push(edge.to);
    const at = names.length - 1;
    arrows.push({ kind: "handoff", from: at - 1, to: at, label: edge.contract.identity, identity: edge.contract.identity, gates: edge.contract.gates });
    for (const back of edges.filter((one) => left.has(one) && one.from === edge?.to && one.to === edge.from)) {
      left.delete(back);
      arrows.push({ kind: "return", from: at, to: at - 1, label: back.contract.identity, identity: back.contract.identity, gates: back.contract.gates });
    }
    last = edge;
    edge = edges.find((one) => left.has(one) && one.from === last.to && !names.includes(one.to));
  }
  for (const { to, after } of last.contract.fallback) {
    if (to === "dead_letter") continue;
    names.push(to);
    arrows.push({ kind: "fallback", from: names.length - 2, to: names.length - 1, label: after ? `after ${after}` : "fallback", gates: [] });
  }
  return { nodes: names.map((name, column) => ({ name, column })), arrows };
}
