import { shorten } from "../text/text";
import type { Contract } from "./contract";
import { type Arrow, type GraphRow, layOutGraph, type Node } from "./graph";

const PITCH = 216;
const LEFT = 16;
const BOX = { width: 132, height: 32 };
const ROW = 88;
const TOP = 36;
/** LIMIT: characters that fit above an arrow. */
const LABEL = 28;
const NAME = 20;

interface GraphProps {
  contracts: Contract[];
  people: Set<string>;
  unsafe: Set<string>;
  selected: string | undefined;
  onSelect: (identity: string) => void;
}

/** Draws contracts as arrows between parties. The table below lists the same edges, so the drawing is one image. */
export function ContractGraph({ contracts, people, unsafe, selected, onSelect }: GraphProps) {
  const rows = layOutGraph(contracts);
  const columns = Math.max(...rows.map((row) => row.nodes.length), 4);
  const width = LEFT * 2 + (columns - 1) * PITCH + BOX.width;
  const height = TOP + rows.length * ROW;
  return (
    <svg className="graph" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label="Contract graph. The table below lists the same edges.">
      {rows.map((row, at) => (
        <g key={row.arrows.map((arrow) => arrow.label).join(" ")} transform={`translate(0 ${at * ROW})`}>
          {row.arrows.map((arrow) => (
            <ArrowView key={`${arrow.kind} ${arrow.from} ${arrow.label}`} arrow={arrow} isSelected={arrow.identity !== undefined && arrow.identity === selected} onSelect={onSelect} />
          ))}
          {row.nodes.map((node) => (
            <NodeView key={node.column} node={node} isPeople={people.has(node.name) || node.name.startsWith("role:")} />
          ))}
          <Unsafe row={row} unsafe={unsafe} />
        </g>
      ))}
    </svg>
  );
}

const left = (column: number) => LEFT + column * PITCH;

function NodeView({ node, isPeople }: { node: Node; isPeople: boolean }) {
  return (
    <>
      <rect className={isPeople ? "n h" : "n"} x={left(node.column)} y={TOP} width={BOX.width} height={BOX.height} rx="3" />
      <text x={left(node.column) + BOX.width / 2} y={TOP + 20} textAnchor="middle">
        {shorten(node.name, NAME)}
      </text>
    </>
  );
}

interface ArrowViewProps {
  arrow: Arrow;
  isSelected: boolean;
  onSelect: (identity: string) => void;
}

function ArrowView({ arrow, isSelected, onSelect }: ArrowViewProps) {
  const isBack = arrow.kind === "return";
  const y = TOP + BOX.height / 2 + (isBack ? 8 : 0);
  const [start, end] = isBack ? [left(arrow.from), left(arrow.to) + BOX.width] : [left(arrow.from) + BOX.width, left(arrow.to)];
  const point = isBack ? 9 : -9;
  const middle = (start + end) / 2;
  const choose = arrow.identity === undefined ? undefined : () => onSelect(arrow.identity ?? "");
  const sel = isSelected ? " sel" : "";
  return (
    <g className={choose && "pick"} onClick={choose}>
      <path className={`e${sel}${arrow.kind === "fallback" ? " fb" : ""}`} d={`M${start} ${y}H${end + point}`} />
      <path className={`ah${sel}`} d={`M${end} ${y}l${point}-4.5v9z`} />
      {arrow.gates.length > 0 && <path className="n" d={`M${middle} ${y - 9}l9 9-9 9-9-9z`} />}
      <text className={`lb${sel}`} x={middle} y={isBack ? TOP + BOX.height + 16 : 28} textAnchor="middle">
        <title>{arrow.label}</title>
        {shorten(arrow.label, LABEL)}
      </text>
      {arrow.gates.length > 0 && !isBack && (
        <text className="lb" x={middle} y={TOP + BOX.height + 16} textAnchor="middle">
          gate
        </text>
      )}
    </g>
  );
}

/** Marks the end of a row whose last contract has no fallback. */
function Unsafe({ row, unsafe }: { row: GraphRow; unsafe: Set<string> }) {
  const last = row.arrows.findLast((arrow) => arrow.kind === "handoff");
  if (!last?.identity || !unsafe.has(last.identity)) return null;
  const x = left(row.nodes.length - 1) + BOX.width + 16;
  return (
    <>
      <path className="bad" d={`M${x} ${TOP + 9}l8 14h-16z`} />
      <text x={x + 14} y={TOP + 21}>
        no fallback
      </text>
    </>
  );
}
