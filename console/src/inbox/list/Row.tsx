import { Link } from "@tanstack/react-router";
import { memo, type MouseEvent } from "react";
import { Icon } from "../../components/Icon";
import { Due, RiskMark, Time, To } from "../../components/parts";
import { Text } from "../../components/Text";
import { KINDS, kindOf, partiesOf, reasonLine, rungName } from "../../handoff/kinds";
import { shorten } from "../../text/text";
import { useMe } from "../../session/me";
import { type ListItem, sinceOf, titleOf } from "./item";
import { isTall } from "./window";

interface RowProps {
  item: ListItem;
  position: number;
  size: number;
  isCurrent: boolean;
  isGone: boolean;
  isSelected: boolean;
  onSelect: (item: ListItem) => void;
  /** Opens the handoff beside the list; returns false where there is no room for it. */
  onOpen: (id: string) => boolean;
}

/** One row: kind, parties and deadline; the goal; risk, reason and what comes next. */
export const Row = memo(function Row({ item, position, size, isCurrent, isGone, isSelected, onSelect, onOpen }: RowProps) {
  const { project, viewer } = useMe();
  const kind = KINDS[kindOf(item, viewer.name)];
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (onOpen(item.id)) event.preventDefault();
  };
  const name = (party: string) => (party === viewer.name ? "you" : party);
  const { from, to } = partiesOf(item, viewer.name);
  const next = [
    item.also && `+${item.also.length} in this task`,
    item.next_rung && item.next_rung.to !== viewer.name ? `then ${rungName(item.next_rung.to)}` : item.notification_failure && "no one was told",
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <div
      role="listitem"
      aria-posinset={position}
      aria-setsize={size}
      data-id={item.id}
      className={`item ${isTall(item) ? "tall" : ""} ${isCurrent ? "current" : ""} ${isGone ? "gone" : ""}`}
    >
      <div className="l1">
        {!isGone && (
          <label className="pick">
            <input type="checkbox" className="cb" checked={isSelected} aria-label={`Select ${titleOf(item)}`} onChange={() => onSelect(item)} />
          </label>
        )}
        {isGone ? (
          <span className="st ended">
            <Icon name="check" />
            No longer waits
          </span>
        ) : (
          <span className={`st ${kind.tone}`}>
            <Icon name={kind.icon} />
            {kind.word}
            {item.in_place_of && `, for ${item.in_place_of}`}
          </span>
        )}
        <span className="nm">{name(from)}</span>
        <To handoff={item} />
        <span className="nm">{name(to)}</span>
        <span className="fill" />
        {isGone ? null : item.due_at ? (
          <Due at={item.due_at}>{item.state === "claimed" && (item.due_for ?? "lease") === "lease" ? " lease" : ""}</Due>
        ) : (
          <span className="mut">
            <Time at={sinceOf(item)} />
          </span>
        )}
      </div>
      <Link
        to="/p/$project/h/$id"
        params={{ project, id: item.id }}
        className="l2"
        aria-current={isCurrent ? "true" : undefined}
        onClick={open}
        dir="auto"
      >
        <Text>{shorten(titleOf(item), 160)}</Text>
      </Link>
      <div className="l3">
        <RiskMark risk={item.risk} />
        <span className="why"><Text>{isGone ? "decided or changed meanwhile" : shorten(reasonLine(item, viewer.name), 160)}</Text></span>
        {!isGone && next && <span className="why">{next}</span>}
      </div>
    </div>
  );
});
