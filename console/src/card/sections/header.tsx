// The top of a card: what it is, between whom, and about what.

import type { ReactNode } from "react";
import type { Shown } from "../../api/queries";
import type { Event, Packet } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Due, partyIcon, RiskMark, StateBadge, Time } from "../../components/parts";
import { Sash } from "../../components/Sash";
import { Text } from "../../components/Text";
import { heldBy } from "../../handoff/causes";
import { eventTitle, eventTone, TONE_ICONS } from "../../handoff/history";
import { dueWords, isOpen, rungName } from "../../handoff/kinds";
import { cost, rungsAhead } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";

interface HeaderProps {
  shown: Shown;
  contract: Packet | undefined;
  decided: Event | undefined;
}

export function Header({ shown, contract, decided }: HeaderProps) {
  const { viewer } = useMe();
  const { handoff } = shown;
  const next = handoff.next_rung?.to ?? (isOpen(handoff) ? rungsAhead(shown, contract)[0]?.to : undefined);
  return (
    <header className="man-h">
      <h2 className="cp">Context Packet</h2>
      <StateBadge state={handoff.state}>{heldBy(handoff)}</StateBadge>
      {decided && (
        <span className={`st ${eventTone(decided)}`}>
          <Icon name={TONE_ICONS[eventTone(decided)]} />
          {eventTitle(decided)} by {decided.actor}
        </span>
      )}
      <RiskMark risk={handoff.risk} long />
      {handoff.due_at && (
        <Due at={handoff.due_at}>
          {dueWords(handoff)}
          {next && next !== viewer.name && `, then ${rungName(next)}`}
        </Due>
      )}
      <span className="end row">
        <code className="mono sec" title={handoff.id}>
          {shortId(handoff.id)} · r{handoff.revision}
        </code>
      </span>
    </header>
  );
}

export function Leg({ shown }: { shown: Shown }) {
  const { handoff } = shown;
  const { parties } = useMe();
  const members = parties.find((party) => party.name === handoff.to)?.members;
  const sub = handoff.holder
    ? `${handoff.holder === handoff.to ? "holds it" : `held by ${handoff.holder}`}${handoff.action ? ", lease clock stopped" : ""}`
    : members
      ? `members: ${members.join(", ")}`
      : handoff.delivered_at
        ? "has read it"
        : "has not read it yet";
  return (
    <div className="leg">
      <div>
        <div className="lbl">From</div>
        <div className="nm">
          <Icon name={partyIcon(handoff.from, parties)} />
          {handoff.from}
        </div>
        <div className="sub">
          submitted <Time at={handoff.submitted_at} />
        </div>
      </div>
      <Sash handoff={handoff} />
      <div>
        <div className="lbl">{handoff.action ? "To, and asks you" : "To"}</div>
        <div className="nm">
          <Icon name={partyIcon(handoff.to, parties)} />
          {handoff.to}
        </div>
        <div className="sub">{sub}</div>
      </div>
    </div>
  );
}

export function Boxes({ shown: { handoff, packet } }: { shown: Shown }) {
  const spent = cost(packet);
  const boxes: [string, ReactNode][] = [["Task", <Text key="task">{handoff.task}</Text>]];
  if (handoff.contract) boxes.push(["Contract", handoff.contract]);
  if (handoff.trigger) boxes.push(["Trigger", handoff.trigger]);
  if (spent) boxes.push(["Cost", spent]);
  if (boxes.length < 4 && handoff.attempt > 1) boxes.push(["Attempt", handoff.attempt]);
  return (
    <div className="boxes">
      {boxes.map(([label, value]) => (
        <div key={label}>
          <div className="lbl">{label}</div>
          <div className="v">{value}</div>
        </div>
      ))}
    </div>
  );
}
