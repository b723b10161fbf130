import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError } from "../../api/http";
import { handoffQuery } from "../../api/queries";
import type { Event, Handoff } from "../../api/types";
import { useTaskCheck, useTaskCheckpoints, useTaskHandoffs, useTaskReturns, useTimeline } from "../../api/watching";
import { useKeys } from "../../browser/keys";
import { useNow } from "../../browser/now";
import { useTitle } from "../../browser/title";
import { RiskMark, StateBadge } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Text } from "../../components/Text";
import { cost } from "../../handoff/packet";
import { LogPanel } from "../log/LogPanel";
import { useMe } from "../../session/me";
import { span } from "../../text/time";
import { Graph } from "./Graph";
import { Legend } from "./Legend";
import { Packets } from "./Packets";
import { Checkpoints, Questions, Revisions } from "./panels";
import { type Relay, relayOf, waitedForPeople } from "./relay";
import { ReturnsPanel } from "./ReturnsPanel";
import { Legs, StepsTable } from "./Steps";
import { Timeline } from "./Timeline";
import { TASK_VIEWS, type TaskView } from "./view";

const route = getRouteApi("/p/$project/t/$task");
const WORDS: Record<TaskView, string> = { timeline: "Timeline", graph: "Graph", table: "Table", packets: "Packets", log: "Log" };
const SHOWN_ENTRIES = 12;

/** A task: its whole relay, from the first packet to the verdict. */
export function TaskPage() {
  const { task } = route.useParams();
  const { project } = useMe();
  const handoffs = useTaskHandoffs(project, task);
  const events = useTimeline(project, task);
  useTitle(task);
  useEffect(() => document.getElementById("main")?.focus(), [task]);
  const error = events.error ?? handoffs.error;
  if (!handoffs.data || !events.data) {
    const isUnknown = error instanceof ApiError && error.status === 404;
    return (
      <main id="main" className="page" tabIndex={-1}>
        <h1>{task}</h1>
        {isUnknown ? <p className="read">There is no task {task} in this project.</p> : error && <ProblemNote error={error} />}
      </main>
    );
  }
  return <Task task={task} handoffs={handoffs.data} events={events.data} />;
}

interface TaskProps {
  task: string;
  /** Newest first. */
  handoffs: Handoff[];
  events: Event[];
}

/** Returns the handoff that the task is at: the newest open one, else the newest. */
const currentOf = (handoffs: Handoff[]): Handoff | undefined =>
  handoffs.find(({ state }) => ["held", "offered", "claimed", "returned"].includes(state)) ?? handoffs[0];

function Task({ task, handoffs, events }: TaskProps) {
  const { project } = useMe();
  const { view = "timeline" } = route.useSearch();
  const navigate = useNavigate();
  const now = useNow();
  const check = useTaskCheck(project, task, events);
  const current = currentOf(handoffs);
  const details = useQuery({ ...handoffQuery(project, current?.id ?? ""), enabled: current !== undefined });
  const returns = useTaskReturns(project, handoffs, events);
  const checkpoints = useTaskCheckpoints(project, handoffs);
  const relay = relayOf(handoffs, events, now);
  const canJudge = details.data?.allowed?.includes("verify") ?? false;
  const show = (next: TaskView) => void navigate({ to: "/p/$project/t/$task", params: { project, task }, search: next === "timeline" ? {} : { view: next }, replace: true });
  useKeys({
    t: () => show("timeline"),
    b: () => show("graph"),
    ...Object.fromEntries(TASK_VIEWS.map((one, index) => [String(index + 1), () => show(one)])),
    u: () => void navigate({ to: "/p/$project/tasks", params: { project } }),
    ...(canJudge && current ? { a: () => void navigate({ to: "/p/$project/h/$id", params: { project, id: current.id } }) } : {}),
  });
  const log = (limit?: number) => (
    <LogPanel
      events={events}
      check={check.data}
      error={check.error}
      isChecking={check.isFetching}
      onCheck={() => void check.refetch()}
      {...(limit === undefined ? {} : { limit })}
    />
  );
  const isRelay = view === "timeline" || view === "graph" || view === "table";
  const revised = handoffs.filter(({ revision }) => revision > 1);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <Head task={task} handoffs={handoffs} current={current} relay={relay} canJudge={canJudge} spent={cost(details.data?.packet)} />
      <nav className="tabs" aria-label="Task views">
        {TASK_VIEWS.map((one) => (
          <Link
            key={one}
            to="/p/$project/t/$task"
            params={{ project, task }}
            search={one === "timeline" ? {} : { view: one }}
            replace
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={one === view ? "true" : undefined}
          >
            {WORDS[one]}
            {one === "packets" && <span>{handoffs.reduce((sum, { revision }) => sum + revision, 0)}</span>}
            {one === "log" && <span>{events.length}</span>}
          </Link>
        ))}
      </nav>
      {isRelay && (
        <section className="pan" aria-label="Relay">
          {view === "timeline" && <Timeline relay={relay} task={task} />}
          {view === "timeline" && <Legend />}
          {view === "graph" && <Graph relay={relay} task={task} />}
          {view === "table" ? <StepsTable relay={relay} /> : <Legs relay={relay} />}
        </section>
      )}
      {view === "packets" && <Packets handoffs={handoffs} events={events} />}
      {view === "log" && log()}
      {isRelay && (
        <div className="grid2">
          <div>
            {current && <ReturnsPanel handoff={current} packet={details.data?.packet} returns={returns} canJudge={canJudge} />}
            {revised.slice(0, 3).map((handoff) => (
              <Revisions key={`${handoff.id} ${handoff.revision}`} handoff={handoff} events={events} />
            ))}
            <Questions events={events} open={details.data?.questions ?? []} />
          </div>
          <div>
            <Checkpoints checkpoints={checkpoints} />
            {log(SHOWN_ENTRIES)}
          </div>
        </div>
      )}
    </main>
  );
}

interface HeadProps {
  task: string;
  handoffs: Handoff[];
  current: Handoff | undefined;
  relay: Relay;
  canJudge: boolean;
  spent: string | undefined;
}

function Head({ task, handoffs, current, relay, canJudge, spent }: HeadProps) {
  const { project, parties } = useMe();
  const first = handoffs.at(-1);
  const isPerson = (lane: string) => parties.find(({ name }) => name === lane)?.kind === "human" || lane === "people";
  const named = relay.lanes.filter((lane) => !lane.startsWith("role:") && lane !== "people");
  const people = named.filter(isPerson).length;
  const agents = named.length - people;
  const waited = waitedForPeople(relay, isPerson);
  return (
    <>
      <div className="ph">
        <h1>
          <Text>{task}</Text>
        </h1>
        {current && <StateBadge state={current.state} />}
        {current && <RiskMark risk={current.risk} long />}
        {current && (
          <span className="end row">
            <Link to="/p/$project/h/$id" params={{ project, id: current.id }} className={canJudge ? "btn sm pri" : "btn sm"}>
              {canJudge ? (
                <>
                  Judge the return <kbd>A</kbd>
                </>
              ) : (
                "Open the card"
              )}
            </Link>
          </span>
        )}
      </div>
      {first?.goal && (
        <p className="read sec">
          <Text>{first.goal}</Text>
          {current?.goal && current.goal !== first.goal && (
            <>
              {" "}
              <span className="mut">
                Now: <Text>{current.goal}</Text>
              </span>
            </>
          )}
        </p>
      )}
      <p className="stats">
        <span>{current && <Where handoff={current} />}</span>
        <span>
          <b>{handoffs.length}</b> {handoffs.length === 1 ? "handoff" : "handoffs"}
        </span>
        <span>
          <b>{agents}</b> {agents === 1 ? "agent" : "agents"}, <b>{people}</b> {people === 1 ? "person" : "people"}
        </span>
        <span>
          <b>{span(relay.end - relay.start)}</b>
          {waited > 0 && `, of which ${span(waited)} waiting for a person`}
        </span>
        {spent && (
          <span>
            <b>{spent}</b>
          </span>
        )}
      </p>
    </>
  );
}

/** Says where the work is now. */
function Where({ handoff }: { handoff: Handoff }) {
  const { state, holder, to, deciders, judge, from } = handoff;
  if (state === "claimed") return <>holder <b>{holder}</b></>;
  if (state === "held") return <>held for <b>{deciders?.join(", ") || "a person"}</b></>;
  if (state === "offered") return <>offered to <b>{to}</b></>;
  if (state === "returned") return <>to be judged by <b>{judge ?? from}</b></>;
  return <>holder <b>none</b></>;
}
