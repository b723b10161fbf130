import { Link } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useDecided, useGoals } from "../api/queries";
import { Icon } from "../components/Icon";
import { Time } from "../components/parts";
import { Text } from "../components/Text";
import { eventTitle, eventTone, TONE_ICONS } from "../handoff/history";
import { shorten } from "../text/text";
import { useMe } from "../session/me";

interface DoneListProps {
  max?: number;
  current?: string | undefined;
  /** Opens a handoff beside the list; returns false where there is no room for it. */
  onOpen: (id: string) => boolean;
}

/** The last decisions of the person, newest first. */
export function DoneList({ max = 100, current, onOpen }: DoneListProps) {
  const { project, viewer } = useMe();
  const { data } = useDecided(project, viewer.name);
  const goals = useGoals(project);
  const open = (click: MouseEvent, id: string | undefined) => {
    if (click.metaKey || click.ctrlKey || click.shiftKey || !id) return;
    if (onOpen(id)) click.preventDefault();
  };
  if (data?.length === 0) return <p className="rows sec p-4">You have not decided anything yet.</p>;
  return (
    <div className="rows">
      <div className="grp">
        <span>Decided by you</span>
        <span>newest first</span>
      </div>
      <div role="list">
        {data?.slice(-max).toReversed().map((event) => (
          <div key={event.n} role="listitem" className={event.handoff === current ? "item current" : "item"}>
            <div className="l1">
              <span className={`st ${eventTone(event)}`}>
                <Icon name={TONE_ICONS[eventTone(event)]} />
                {eventTitle(event)}
              </span>
              <span className="nm">{event.from}</span>
              <svg className="sx" role="img" aria-label="to">
                <use href="#i-to" />
              </svg>
              <span className="nm">{event.to}</span>
              <span className="fill" />
              <span className="mut">
                <Time at={event.at} />
              </span>
            </div>
            <Link to="/p/$project/h/$id" params={{ project, id: event.handoff ?? "" }} className="l2" onClick={(click) => open(click, event.handoff)}>
              <Text>{goals.get(event.handoff ?? "") ?? event.task ?? ""}</Text>
            </Link>
            <div className="l3">
              <span className="why">
                by you, revision {event.revision}, log #{event.n}
                {event.reason && (
                  <>
                    , “<Text>{shorten(event.reason, 80)}</Text>”
                  </>
                )}
              </span>
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
