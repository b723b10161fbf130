import { Link } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { Handoff } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Due, RiskMark, Time, To } from "../../components/parts";
import { Text } from "../../components/Text";
import { KINDS, kindOf, reasonLine } from "../../handoff/kinds";
import { shorten } from "../../text/text";
import { useMe } from "../../session/me";
import { isTall } from "./window";

interface RowProps {
  handoff: Handoff;
  position: number;
  size: number;
  isCurrent: boolean;
  isGone: boolean;
  /** Opens the handoff beside the list; returns false where there is no room for it. */
  onOpen: (id: string) => boolean;
}

/** One row: kind, parties and deadline; the goal; risk, reason and what comes next. */
export function Row({ handoff, position, size, isCurrent, isGone, onOpen }: RowProps) {
  const { project, viewer } = useMe();
  const kind = KINDS[kindOf(handoff, viewer.name)];
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (onOpen(handoff.id)) event.preventDefault();
  };
  const name = (party: string) => (party === viewer.name ? "you" : party);
  return (
    <div
      role="listitem"
      aria-posinset={position}
      aria-setsize={size}
      data-id={handoff.id}
      className={`item ${isTall(handoff) ? "tall" : ""} ${isCurrent ? "current" : ""} ${isGone ? "gone" : ""}`}
    >
      <div className="l1">
        {isGone ? (
          <span className="st ended">
            <Icon name="check" />
            No longer waits
          </span>
        ) : (
          <span className={`st ${kind.tone}`}>
            <Icon name={kind.icon} />
            {kind.word}
          </span>
        )}
        <span className="nm">{name(handoff.from)}</span>
        <To handoff={handoff} />
        <span className="nm">{name(handoff.to)}</span>
        <span className="fill" />
        {isGone ? null : handoff.due_at ? (
          <Due at={handoff.due_at}>{handoff.state === "claimed" ? " lease" : ""}</Due>
        ) : (
          <span className="mut">
            <Time at={handoff.since ?? handoff.submitted_at} />
          </span>
        )}
      </div>
      <Link
        to="/p/$project/h/$id"
        params={{ project, id: handoff.id }}
        className="l2"
        aria-current={isCurrent ? "true" : undefined}
        onClick={open}
        dir="auto"
      >
        <Text>{shorten(handoff.goal ?? `Task ${handoff.task}`, 160)}</Text>
      </Link>
      <div className="l3">
        <RiskMark risk={handoff.risk} />
        <span className="why">{isGone ? "decided or changed meanwhile" : reasonLine(handoff, viewer.name)}</span>
        {handoff.notification_failure && !isGone && <span className="why">no one was told</span>}
      </div>
    </div>
  );
}
