import { useState } from "react";
import { type Shown, useRevision } from "../api/queries";
import type { Event } from "../api/types";
import { Time } from "../components/parts";
import { eventTitle } from "../handoff/history";
import { useNow } from "../browser/now";
import { span } from "../text/time";
import { useMe } from "../session/me";
import { ActionsPanel } from "./ActionsPanel";
import { CheckpointsPanel } from "./CheckpointsPanel";
import { DecisionsPanel } from "./DecisionsPanel";
import { DiffView } from "./DiffView";
import { StepsPanel } from "./StepsPanel";
import { TaskPanel } from "./TaskPanel";
import type { Attention } from "./useReading";

interface RailProps {
  shown: Shown;
  events: Event[];
  attention: Attention;
}

/** The panels beside a card: reading, decisions, actions, progress and revisions. */
export function Rail({ shown, events, attention }: RailProps) {
  useNow();
  return (
    <aside className="rail" aria-label="Context">
      <section className="pan">
        <h2>Your reading</h2>
        <div className="in sec">
          Open for <b>{span(attention.seconds() * 1000)}</b>, evidence{" "}
          {attention.opened.includes("evidence") ? "opened" : "not opened"}. Recorded with your decision.
        </div>
      </section>
      <TaskPanel handoff={shown.handoff} />
      <DecisionsPanel decisions={shown.decisions ?? []} />
      <ActionsPanel shown={shown} />
      <StepsPanel shown={shown} />
      <CheckpointsPanel handoff={shown.handoff} />
      <Progress events={events} />
      <Revisions shown={shown} events={events} />
    </aside>
  );
}

const QUIET = new Set(["handoff.delivered"]);

function Progress({ events }: { events: Event[] }) {
  const steps = events.filter((event) => !QUIET.has(event.type)).slice(-12);
  if (steps.length === 0) return null;
  return (
    <section className="pan">
      <h2>Progress</h2>
      <div className="in">
        <ol className="ladder">
          {steps.map((event) => (
            <li key={event.n} className="now">
              <span>
                {eventTitle(event)} <span className="mut">{event.actor}</span>
              </span>
              <span className="mut">
                <Time at={event.at} />
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

const MAKES_REVISION = new Set(["handoff.submitted", "handoff.begun", "handoff.revised", "handoff.edited", "handoff.answered"]);

function Revisions({ shown, events }: { shown: Shown; events: Event[] }) {
  const { project } = useMe();
  const { handoff, packet } = shown;
  const [showsDiff, setShowsDiff] = useState(false);
  const before = useRevision(project, handoff.id, showsDiff ? handoff.revision - 1 : undefined);
  const made = events.filter((event) => MAKES_REVISION.has(event.type)).toReversed();
  return (
    <section className="pan">
      <h2>
        Revisions
        {handoff.revision > 1 && (
          <button type="button" className="btn sm end" aria-expanded={showsDiff} onClick={() => setShowsDiff(!showsDiff)}>
            {showsDiff ? "Hide difference" : `Difference to r${handoff.revision - 1}`}
          </button>
        )}
      </h2>
      <div className="in grid gap-2">
        <ul className="plain">
          {made.map((event) => (
            <li key={event.n}>
              <b>r{event.revision}</b> {event.actor}
              <span className="end mut">
                <Time at={event.at} />
              </span>
            </li>
          ))}
        </ul>
        {showsDiff && before.data && packet && <DiffView before={before.data} after={packet} />}
      </div>
    </section>
  );
}
