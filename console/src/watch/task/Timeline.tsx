import { useId } from "react";
import { useSettings } from "../../browser/settings";
import { clock } from "../../text/time";
import { newestOf, type Relay, type Stretch } from "./relay";
import { type Scale, scaleOf } from "./scale";
import { barLabel, isQuestion, markWords, outcomeWords, partWords, stretchWords } from "./words";

/** LIMIT: bars of one picture, the newest ones. The table has all. */
const STRETCHES = 200;
const GUTTER = 176;
const TOP = 40;
const LANE = 64;
const BAR = 18;
const RIGHT = 28;
/** The width of a character of a label, on average. */
const CHARACTER = 6.3;

const CLASSES = { wait: "wai", hold: "hold", claim: "clm", judge: "jud" } as const;
const TEXTS = { wait: "to", hold: "th", claim: "tc", judge: "tj" } as const;

/** The relay as lanes: a bar for each stretch, a sash for each hand-over. */
export function Timeline({ relay: whole, task }: { relay: Relay; task: string }) {
  const id = useId();
  const relay = newestOf(whole, STRETCHES);
  const { time } = useSettings();
  const scale = scaleOf(timesOf(relay), relay.start, relay.end, 992);
  const width = GUTTER + scale.width + RIGHT;
  const height = TOP + relay.lanes.length * LANE;
  const x = (at: number) => GUTTER + scale.x(at);
  const top = (lane: string) => TOP + relay.lanes.indexOf(lane) * LANE;
  return (
    <div className="scroll-x relay-x" tabIndex={0} role="region" aria-label="Timeline, scrolls sideways">
      <svg className="relay" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-labelledby={`${id}t ${id}d`}>
        <title id={`${id}t`}>Relay of {task}</title>
        <desc id={`${id}d`}>The same facts are in the Table tab.</desc>
        <Axis relay={relay} scale={scale} height={height} width={width} isUtc={time === "utc"} />
        {relay.lanes.map((lane) => (
          <g key={lane}>
            <path className="ln" d={`M0 ${top(lane)}H${width}`} />
            <text className="t1" x="16" y={top(lane) + 30}>
              {cut(lane, 22)}
            </text>
            <text x="16" y={top(lane) + 47}>
              {partWords(relay, lane)}
            </text>
          </g>
        ))}
        {relay.passes.map((pass) => (
          <Sash key={pass.number} number={pass.number} x1={x(pass.left)} y1={top(pass.from)} x2={x(pass.arrived)} y2={top(pass.to)} />
        ))}
        {relay.stretches.map((stretch, index) => (
          <Bar key={index} stretch={stretch} relay={relay} x={x} y={top(stretch.lane)} />
        ))}
        {relay.marks.map((mark) => {
          const [left, y] = [x(mark.at), top(mark.lane) + 32];
          const isAsked = isQuestion(mark);
          const words = markWords(mark);
          return (
            <g key={mark.event.n}>
              {isAsked ? <circle className="ask" cx={left} cy={y} r="5" /> : <path className="x" d={`M${left - 4} ${y - 4}l8 8m0-8-8 8`} />}
              {room(relay, scale, mark.lane, mark.at) > words.length * CHARACTER + 16 && (
                <text className={isAsked ? "to" : "tx"} x={left + 12} y={y + 4}>
                  {words}
                </text>
              )}
              <title>{`${words}, ${mark.lane}, ${clock(mark.at, time === "utc")}`}</title>
            </g>
          );
        })}
        {relay.isOpen && (
          <>
            <path className="now" d={`M${x(relay.end)} 24V${height}`} />
            <text className="nowt" x={x(relay.end)} y="16" textAnchor="middle">
              now
            </text>
          </>
        )}
      </svg>
    </div>
  );
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

function timesOf({ stretches, marks }: Relay): number[] {
  return [...stretches.flatMap(({ from, until }) => (until === undefined ? [from] : [from, until])), ...marks.map(({ at }) => at)];
}

/** Returns the width to the next thing in a lane. */
function room(relay: Relay, scale: Scale, lane: string, at: number): number {
  const later = [
    ...relay.stretches.filter((one) => one.lane === lane).map((one) => one.from),
    ...relay.marks.filter((one) => one.lane === lane).map((one) => one.at),
  ].filter((time) => time > at);
  const next = later.length > 0 ? scale.x(Math.min(...later)) : scale.width;
  return next - scale.x(at);
}

interface AxisProps {
  relay: Relay;
  scale: Scale;
  height: number;
  width: number;
  isUtc: boolean;
}

function Axis({ relay, scale, height, width, isUtc }: AxisProps) {
  const isClose = (x: number) => relay.isOpen && scale.width - x < 48;
  return (
    <>
      {scale.ticks.map(({ at, x }) => (
        <g key={at}>
          <path className="ax" d={`M${GUTTER + x} 24V${height}`} />
          {!isClose(x) && (
            <text x={GUTTER + x} y="16" textAnchor="middle">
              {clock(at, isUtc)}
            </text>
          )}
        </g>
      ))}
      <path className="ln" d={`M0 ${height}H${width}`} />
    </>
  );
}

interface BarProps {
  stretch: Stretch;
  relay: Relay;
  x: (at: number) => number;
  y: number;
}

function Bar({ stretch, relay, x, y }: BarProps) {
  const left = x(stretch.from);
  const right = x(stretch.until ?? relay.end);
  const width = Math.max(4, right - left);
  const label = barLabel(stretch, relay.end);
  // Beside the sash that may come from above.
  const fits = label.length * CHARACTER + 12 < width;
  const isLost = stretch.ended?.type === "handoff.lapsed";
  return (
    <g>
      <rect className={isLost ? `${CLASSES[stretch.kind]} lost` : CLASSES[stretch.kind]} x={left} y={y + 23} width={width} height={BAR} rx="2" />
      {stretch.kind === "hold" && <Hatch left={left} right={left + width} y={y + 23} />}
      {stretch.checkpoints.map((event) => (
        <circle key={event.n} className="dot" cx={x(Date.parse(event.at))} cy={y + 32} r="5" />
      ))}
      {fits && (
        <text className={TEXTS[stretch.kind]} x={left + 13} y={y + 17}>
          {label}
        </text>
      )}
      <title>{`${stretchWords(stretch)}, ${label}, ${outcomeWords(stretch)}`}</title>
    </g>
  );
}

function Hatch({ left, right, y }: { left: number; right: number; y: number }) {
  const strokes = Array.from({ length: Math.max(0, Math.floor((right - left - 10) / 8)) }, (_, index) => `M${left + 2 + index * 8} ${y + 17}l10-16`);
  return <path className="hat" d={strokes.join("")} />;
}

/** A striped band from the end of one bar to the beginning of the next. */
function Sash({ number, x1, y1, x2, y2 }: { number: number; x1: number; y1: number; x2: number; y2: number }) {
  const isDown = y2 > y1;
  const [a, b] = isDown ? [y1 + 41, y2 + 23] : [y1 + 23, y2 + 41];
  const [left, right] = [x1 - 9, x2];
  return (
    <g>
      <path className="sb" d={`M${left} ${a}h9L${right + 9} ${b}h-9z`} />
      <path className="ss" d={`M${left + 3} ${a}L${right + 3} ${b}M${left + 6} ${a}L${right + 6} ${b}`} />
      <text className="no" x={(left + right) / 2 + 16} y={(a + b) / 2 + 4} textAnchor="middle">
        {number}
      </text>
    </g>
  );
}
