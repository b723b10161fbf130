import { getRouteApi, Link } from "@tanstack/react-router";
import type { Handoff, Overview } from "../api/types";
import { useOpenHandoffs, useOverview } from "../api/watching";
import { useNow } from "../browser/now";
import { useSettings } from "../browser/settings";
import { useTitle } from "../browser/title";
import { Chip } from "../components/Chip";
import { Due, RiskMark, StateBadge } from "../components/parts";
import { ProblemNote } from "../components/Problem";
import { Text } from "../components/Text";
import { useMe } from "../session/me";
import { shorten } from "../text/text";
import { clock, span } from "../text/time";
import { sinceOf, waitsFor } from "./holdings";
import { EdgeName, EdgesPanel, PartiesPanel, WaitingPanel } from "./panels";

const route = getRouteApi("/p/$project/overview");
const PERIODS = [12, 24, 72, 168] as const;
const SHOWN_WAITING = 50;

/** Reads the period of the overview from its address. */
export function readPeriod(search: Record<string, unknown>): { hours?: number } {
  const hours = PERIODS.find((one) => one === Number(search.hours));
  return hours && hours !== 24 ? { hours } : {};
}

/** The team on one screen: who works on what, what waits, and for how long. */
export function OverviewPage() {
  const { project } = useMe();
  const { hours = 24 } = route.useSearch();
  const navigate = route.useNavigate();
  const overview = useOverview(project, hours);
  const open = useOpenHandoffs(project);
  useTitle("Overview");
  const error = overview.error ?? open.error;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="ph">
        <h1>Overview</h1>
        {open.data && (
          <span className="mut">
            {open.data.items.length}
            {open.data.next ? " or more" : ""} open handoffs
          </span>
        )}
        <span className="end">
          <Chip label="Period" value={String(hours)} onChange={(value) => void navigate({ search: readPeriod({ hours: value }), replace: true })}>
            {PERIODS.map((one) => (
              <option key={one} value={one}>
                {one < 48 ? `${one} h` : `${one / 24} d`}
              </option>
            ))}
          </Chip>
        </span>
      </div>
      {error && <ProblemNote error={error} />}
      <div className="grid2 wide">
        <div>
          {open.data && <PartiesPanel handoffs={open.data.items} isPart={open.data.next !== undefined} />}
          {open.data && <WaitingList handoffs={open.data.items} />}
        </div>
        <div>
          {overview.data && <EdgesPanel overview={overview.data} />}
          {overview.data && <WaitingPanel overview={overview.data} handoffs={open.data?.items ?? []} />}
          {overview.data && <Tables overview={overview.data} />}
        </div>
      </div>
    </main>
  );
}

/** What waits, the longest wait first. */
function WaitingList({ handoffs }: { handoffs: Handoff[] }) {
  const { project } = useMe();
  const now = useNow();
  const waiting = handoffs.filter(({ state }) => state !== "claimed").toSorted((one, other) => sinceOf(one) - sinceOf(other));
  return (
    <section className="pan" aria-labelledby="waiting">
      <h2 id="waiting">
        Waiting <span className="end">{waiting.length}, longest first</span>
      </h2>
      {waiting.length === 0 && <p className="in mut">Nothing waits.</p>}
      {waiting.length > 0 && (
        <table className="tb cards">
          <thead>
            <tr>
              <th>Work</th>
              <th>State</th>
              <th>For</th>
              <th className="num">Waits</th>
              <th>Risk</th>
            </tr>
          </thead>
          <tbody>
            {waiting.slice(0, SHOWN_WAITING).map((handoff) => (
              <tr key={handoff.id}>
                <td className="w">
                  <Link to="/p/$project/t/$task" params={{ project, task: handoff.task }}>
                    <Text>{shorten(handoff.goal ?? handoff.task, 80)}</Text>
                  </Link>
                  {handoff.due_at && (
                    <p>
                      <Due at={handoff.due_at} />
                    </p>
                  )}
                </td>
                <td>
                  <StateBadge state={handoff.state} />
                </td>
                <td data-l="for">{waitsFor(handoff).join(", ")}</td>
                <td className="num">{span(now - sinceOf(handoff))}</td>
                <td className="end">
                  <RiskMark risk={handoff.risk} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The numbers of the charts. */
function Tables({ overview: { hours, edges } }: { overview: Overview }) {
  const { time } = useSettings();
  const hour = (start: string) => clock(Date.parse(start), time === "utc").slice(0, 5);
  return (
    <details className="pan tables">
      <summary>The numbers of the charts, as tables</summary>
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Numbers by hour, scrolls sideways">
        <table className="tb">
          <caption className="sr-only">Events by hour</caption>
          <thead>
            <tr>
              <th>Hour</th>
              <th className="num">Submitted</th>
              <th className="num">Held</th>
              <th className="num">Next rung</th>
              <th className="num">Dead letters</th>
              <th className="num">Done</th>
            </tr>
          </thead>
          <tbody>
            {hours.map((one) => (
              <tr key={one.start}>
                <th scope="row">{hour(one.start)}</th>
                {[one.submitted, one.held, one.moved_on, one.dead, one.done].map((value, index) => (
                  <td key={index} className="num">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <table className="tb">
          <caption className="sr-only">Handoffs of each edge by hour</caption>
          <thead>
            <tr>
              <th>Edge</th>
              {hours.map((one) => (
                <th key={one.start} className="num">
                  {hour(one.start)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {edges.map((edge) => (
              <tr key={`${edge.from} ${edge.to}`}>
                <th scope="row">
                  <EdgeName edge={edge} />
                </th>
                {edge.by_hour.map((value, index) => (
                  <td key={index} className="num">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
