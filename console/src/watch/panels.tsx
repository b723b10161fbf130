// The team at a glance: parties, edges and what waits.

import { Link } from "@tanstack/react-router";
import type { EdgeActivity, Handoff, Overview } from "../api/types";
import { useNow } from "../browser/now";
import { Icon, type IconName } from "../components/Icon";
import { STATES } from "../components/parts";
import { Text } from "../components/Text";
import { useMe } from "../session/me";
import { shorten } from "../text/text";
import { span } from "../text/time";
import { Bars, Line } from "./charts";
import { counted, type Holding, holdingsOf, sinceOf } from "./holdings";

/** LIMIT: idle parties that are named. */
const IDLE_NAMED = 12;

const KIND_ICONS: Record<Holding["kind"], IconName> = { agent: "agent", human: "person", role: "role" };

interface PartiesPanelProps {
  handoffs: Handoff[];
  /** There are more open handoffs than were read. */
  isPart: boolean;
  /** The most rows; the page with all of them is linked. */
  limit?: number;
}

/** Parties, and what each of them holds now. */
export function PartiesPanel({ handoffs, isPart, limit }: PartiesPanelProps) {
  const { project, parties } = useMe();
  const rows = holdingsOf(handoffs, parties);
  const { working, waiting, idle } = counted(rows);
  const busy = rows.filter(({ holds, waits }) => holds.length > 0 || waits.length > 0);
  const free = rows.filter(({ holds, waits, kind }) => holds.length === 0 && waits.length === 0 && kind !== "role");
  const shown = busy.slice(0, limit);
  return (
    <section className="pan" aria-labelledby="parties">
      <h2 id="parties">
        Parties
        <span className="end">
          {working} working, {waiting} waited for, {idle} idle{isPart && ", of the newest 500 open handoffs"}
        </span>
      </h2>
      <ul className="in tight">
        {shown.map((row) => (
          <PartyRow key={row.party} row={row} />
        ))}
      </ul>
      {busy.length === 0 && <p className="in more">No one has work.</p>}
      {shown.length < busy.length && (
        <p className="in more">
          <Link to="/p/$project/overview" params={{ project }}>
            {busy.length - shown.length} more with work
          </Link>
        </p>
      )}
      {free.length > 0 && (
        <p className="in more mut">
          Idle: {free.slice(0, IDLE_NAMED).map(({ party }) => party).join(", ")}
          {free.length > IDLE_NAMED && ` and ${free.length - IDLE_NAMED} more`}
        </p>
      )}
    </section>
  );
}

function PartyRow({ row: { party, kind, holds, waits, members } }: { row: Holding }) {
  const { project } = useMe();
  const now = useNow();
  const [first] = holds;
  const [next] = waits;
  const lasted = (handoff: Handoff) => span(now - sinceOf(handoff));
  const shown = first ?? next;
  if (!shown) return null;
  const isNamed = first !== undefined || waits.length === 1;
  const others = [
    holds.length > 1 ? `holds ${holds.length - 1} more` : "",
    next && (first || waits.length > 1) ? `${waits.length} ${waits.length === 1 ? "waits" : "wait"}, oldest ${lasted(next)}` : "",
    members > 0 ? `${members} ${members === 1 ? "member" : "members"}` : "",
  ].filter(Boolean);
  return (
    <li className="prow">
      <span className="pty">
        <Icon name={KIND_ICONS[kind]} />
        <span className="ell">{party}</span>
      </span>
      <span className="ell">
        {isNamed && (
          <Link to="/p/$project/t/$task" params={{ project, task: shown.task }}>
            <Text>{shorten(shown.goal ?? shown.task, 80)}</Text>
          </Link>
        )}
        {others.length > 0 && (
          <span className="mut">
            {isNamed ? " · " : ""}
            {others.join(", ")}
          </span>
        )}
      </span>
      <span className={`st ${STATES[shown.state].tone}`}>
        <Icon name={STATES[shown.state].icon} />
        {STATES[shown.state].word} {lasted(shown)}
      </span>
    </li>
  );
}

const seconds = (value: number | undefined) => (value === undefined ? "–" : span(value * 1000));

/** How long work waits and is worked on between two parties. */
export function EdgesPanel({ overview, limit }: { overview: Overview; limit?: number }) {
  const shown = overview.edges.slice(0, limit);
  return (
    <section className="pan" aria-labelledby="edges">
      <h2 id="edges">
        Edges <span className="end">median of the last {overview.hours.length} h</span>
      </h2>
      {shown.length === 0 ? (
        <p className="in mut">Nothing was handed over.</p>
      ) : (
        <table className="tb edges">
          <thead>
            <tr>
              <th>From and to</th>
              <th className="num">Waiting</th>
              <th className="num">Working</th>
              <th className="num">Handoffs</th>
              <th className="hide-s">By hour</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((edge) => (
              <tr key={`${edge.from} ${edge.to}`}>
                <td>
                  <EdgeName edge={edge} />
                </td>
                <td className="num">{seconds(edge.waiting?.median)}</td>
                <td className="num">{seconds(edge.working?.median)}</td>
                <td className="num">{edge.handoffs}</td>
                <td className="hide-s">
                  <Line values={edge.by_hour} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function EdgeName({ edge: { from, to } }: { edge: EdgeActivity }) {
  return (
    <>
      {from}{" "}
      <svg className="sx" role="img" aria-label="to">
        <use href="#i-to" />
      </svg>{" "}
      {to}
    </>
  );
}

const SERIES = [
  ["held", "held for a person"],
  ["dead", "dead letters"],
  ["moved_on", "moved to the next rung"],
  ["submitted", "submitted"],
] as const;

interface WaitingPanelProps {
  overview: Overview;
  handoffs: Handoff[];
  /** The number of series, the most telling first. */
  limit?: number;
}

/** Holds, dead letters and escalations over time, with the number of now. */
export function WaitingPanel({ overview, handoffs, limit }: WaitingPanelProps) {
  const { hours } = overview;
  const now = { held: handoffs.filter(({ state }) => state === "held").length } as Record<string, number>;
  const whole = (name: (typeof SERIES)[number][0]) => hours.reduce((sum, hour) => sum + hour[name], 0);
  return (
    <section className="pan" aria-labelledby="over-time">
      <h2 id="over-time">
        Over time
        <span className="end">
          last {hours.length} h{!overview.complete && ", newest part of it"}
        </span>
      </h2>
      {SERIES.slice(0, limit).map(([name, words]) => (
        <div className="mini" key={name}>
          <span className="big">{whole(name)}</span>
          <span>
            {words}
            {now[name] !== undefined && (
              <>
                <br />
                <span className="mut">now {now[name]}</span>
              </>
            )}
          </span>
          <Bars values={hours.map((hour) => hour[name])} label={`${words} by hour; the numbers are in the table`} />
        </div>
      ))}
    </section>
  );
}
