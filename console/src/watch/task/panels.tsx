// What a task brought forth: checkpoints, revisions and questions.

import { useState } from "react";
import { useRevision } from "../../api/queries";
import type { Checkpoint, Event, Handoff, OpenQuestion } from "../../api/types";
import { DiffView } from "../../card/DiffView";
import { Icon } from "../../components/Icon";
import { Time } from "../../components/parts";
import { LongText, Text } from "../../components/Text";
import { items, text } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";

/** What the holders recorded, newest first. */
export function Checkpoints({ checkpoints }: { checkpoints: Checkpoint[] }) {
  if (checkpoints.length === 0) return null;
  return (
    <section className="pan" aria-label="Checkpoints">
      <h2>
        Checkpoints <span className="end">{checkpoints.length}, latest first</span>
      </h2>
      <ol className="cps">
        {checkpoints.map(({ n, by, at, packet }, index) => {
          const done = items(packet, "completed");
          const left = items(packet, "remaining");
          const confidence = typeof packet.confidence === "number" ? packet.confidence : undefined;
          return (
            <li key={n} className={index === 0 ? "on" : ""}>
              <span className="mut">
                <Time at={at} />
              </span>
              <i className="pip" />
              <div>
                <Text>{text(packet, "summary") ?? done.at(-1)?.text ?? "Progress recorded"}</Text>
                <p className="mut">
                  {by} · #{n}
                </p>
                <Lines word="Done" list={done.map((one) => one.text)} />
                <Lines word="Left" list={left.map((one) => one.text)} />
                <Lines word="Decided" list={items(packet, "decisions").map((one) => one.text)} />
                <Lines word="Pitfall" list={items(packet, "pitfalls_hit").map((one) => one.text)} />
              </div>
              <span className="mut">{confidence === undefined ? "" : `${Math.round(confidence * 100)} %`}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Lines({ word, list }: { word: string; list: string[] }) {
  if (list.length === 0) return null;
  return (
    <p>
      <span className="mut">{word}: </span>
      <Text>{list.join("; ")}</Text>
    </p>
  );
}

const MAKES_REVISION = new Set(["submitted", "begun", "revised", "edited", "answered"].map((name) => `handoff.${name}`));

/** The revisions of a handoff, each with its difference to the one before. */
export function Revisions({ handoff, events }: { handoff: Handoff; events: Event[] }) {
  const { project } = useMe();
  const made = events.filter((event) => event.handoff === handoff.id && MAKES_REVISION.has(event.type) && event.revision !== undefined);
  const newest = made.at(-1)?.revision ?? handoff.revision;
  const [chosen, setChosen] = useState<number>();
  const shown = chosen ?? newest;
  const before = useRevision(project, handoff.id, shown > 1 ? shown - 1 : undefined);
  const after = useRevision(project, handoff.id, shown > 1 ? shown : undefined);
  const cause = made.findLast((event) => event.revision === shown);
  return (
    <section className="pan" aria-label={`Revisions of ${shortId(handoff.id)}`}>
      <h2>
        Revisions of {shortId(handoff.id)}
        <span className="end row" role="group" aria-label="Revision">
          {made.map((event) => (
            <button
              key={event.n}
              type="button"
              className="btn sm"
              aria-pressed={event.revision === shown}
              disabled={event.revision === 1}
              onClick={() => setChosen(event.revision)}
            >
              r{event.revision} {event.actor}
            </button>
          ))}
        </span>
      </h2>
      <div className="in">
        {before.data && after.data && <DiffView before={before.data} after={after.data} />}
        {cause && (
          <p className="mut mt-2">
            {cause.actor}, <Time at={cause.at} />
            {cause.reason && (
              <>
                : “<Text>{cause.reason}</Text>”
              </>
            )}
          </p>
        )}
      </div>
    </section>
  );
}

/** What receivers asked, and what the senders answered. `open` has the questions without an answer. */
export function Questions({ events, open }: { events: Event[]; open: OpenQuestion[] }) {
  const asked = events.filter((event) => event.type === "handoff.asked");
  if (asked.length === 0) return null;
  const answered = events.filter((event) => event.type === "handoff.answered");
  return (
    <section className="pan" aria-label="Questions">
      <h2>
        Questions <span className="end">{open.length === 0 ? "all answered" : `${open.length} open`}</span>
      </h2>
      <ol className="in grid gap-3">
        {asked.map((event) => {
          const waits = open.find((question) => question.id === event.attributes?.question);
          const reply = answered.find((one) => one.attributes?.question === event.attributes?.question);
          const question = event.reason ?? waits?.question;
          return (
            <li key={event.n}>
              <p className="row">
                <Icon name="question" />
                <b>{event.actor}</b> asked <Time at={event.at} />
              </p>
              {question && <LongText>{question}</LongText>}
              {reply?.reason && <LongText className="read sec">{reply.reason}</LongText>}
              <p className="mut">
                {reply ? (
                  <>
                    answered by {reply.actor} <Time at={reply.at} />, revision {reply.revision}
                  </>
                ) : waits?.blocking ? (
                  "not answered; blocks the claim"
                ) : (
                  "not answered"
                )}
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
