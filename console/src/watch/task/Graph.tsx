import { useId } from "react";
import type { Relay } from "./relay";
import { partWords } from "./words";

const NODE = 148;
/** The room that the page has for a graph. */
const ROOM = 1180;
const BOX = 44;

interface Edge {
  from: number;
  to: number;
  numbers: number[];
  kinds: Set<string>;
}

const KINDS = { wait: "offer", hold: "hold", claim: "claim", judge: "return" } as const;

/** Returns the hand-overs between parties, those between the same two together. */
export function edgesOf({ lanes, passes }: Relay): Edge[] {
  const edges = new Map<string, Edge>();
  for (const { from, to, number, kind } of passes) {
    const key = `${from}\n${to}`;
    const edge = edges.get(key) ?? { from: lanes.indexOf(from), to: lanes.indexOf(to), numbers: [], kinds: new Set() };
    edge.numbers.push(number);
    edge.kinds.add(KINDS[kind]);
    edges.set(key, edge);
  }
  return [...edges.values()];
}

/** The relay as a graph: parties in the order of their part, hand-overs as numbered arcs. */
export function Graph({ relay, task }: { relay: Relay; task: string }) {
  const id = useId();
  const edges = edgesOf(relay);
  const far = Math.max(1, ...edges.map(({ from, to }) => Math.abs(to - from)));
  const reach = 44 + far * 22;
  const middle = reach + BOX / 2 + 8;
  const gap = Math.min(96, Math.max(36, ROOM / Math.max(1, relay.lanes.length) - NODE));
  const width = relay.lanes.length * (NODE + gap);
  const height = middle * 2;
  const centre = (index: number) => gap / 2 + NODE / 2 + index * (NODE + gap);
  const curves = edges.map((edge) => curveOf(edge, centre, middle));
  const holder = relay.stretches.find((one) => one.until === undefined)?.lane;
  return (
    <div className="scroll-x relay-x" tabIndex={0} role="region" aria-label="Graph, scrolls sideways">
      <svg className="graph" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-labelledby={`${id}t ${id}d`}>
        <title id={`${id}t`}>Hand-overs of {task}</title>
        <desc id={`${id}d`}>The same facts are in the Table tab.</desc>
        {curves.map(({ line, head }) => (
          <g key={line}>
            <path className="e" d={line} />
            <path className="ah" d={head} />
          </g>
        ))}
        {curves.map(({ line, label, x, y }) => (
          <text key={line} className="lb" x={x} y={y} textAnchor="middle">
            {label}
          </text>
        ))}
        {relay.lanes.map((lane, index) => (
            <g key={lane}>
              <rect className={lane === holder ? "n on" : "n"} x={centre(index) - NODE / 2} y={middle - BOX / 2} width={NODE} height={BOX} rx="5" />
              <text className="t1" x={centre(index)} y={middle - 2} textAnchor="middle">
                {lane.length > 20 ? `${lane.slice(0, 19)}…` : lane}
              </text>
              <text className="sub" x={centre(index)} y={middle + 14} textAnchor="middle">
                {lane === holder ? "has it now" : partWords(relay, lane)}
              </text>
            </g>
        ))}
      </svg>
    </div>
  );
}

interface Curve {
  line: string;
  head: string;
  label: string;
  x: number;
  y: number;
}

/** Places an edge: forward above the parties, backward below them. */
function curveOf(edge: Edge, centre: (index: number) => number, middle: number): Curve {
  const isForward = edge.to > edge.from;
  const sign = isForward ? -1 : 1;
  // Arcs leave and arrive beside each other, so that both directions can be told apart.
  const [x1, x2] = [centre(edge.from) + (isForward ? 24 : -24), centre(edge.to) + (isForward ? -24 : 24)];
  const y = middle + (sign * BOX) / 2;
  const peak = y + sign * (40 + Math.abs(edge.to - edge.from) * 22);
  return {
    line: `M${x1} ${y}C${x1} ${peak} ${x2} ${peak} ${x2} ${y + sign * 7}`,
    head: `M${x2 - 5} ${y + sign * 9}h10L${x2} ${y + sign}z`,
    label: `${edge.numbers.slice(0, 6).join(", ")}${edge.numbers.length > 6 ? " …" : ""} ${[...edge.kinds].join(", ")}`,
    x: (x1 + x2) / 2,
    y: y + (peak - y) * 0.75 + 4,
  };
}
