// The top of a card: what it is, between whom, and about what.

import type { ReactNode } from "react";
import type { PartyProps } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import type { Event, Packet, Party } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Due, partyIcon, RiskMark, StateBadge, Time } from "../../components/parts";
import { Text } from "../../components/Text";
import { heldBy } from "../../handoff/causes";
import { eventTitle, eventTone, TONE_ICONS } from "../../handoff/history";
import { dueWords, isOpen, rungName } from "../../handoff/kinds";
import { cost, rungsAhead } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";

interface StatusProps {
  shown: Shown;
  contract: Packet | undefined;
  decided: Event | undefined;
}

/** The status of a card, beside its badge. */
export function Status({ shown, contract, decided }: StatusProps) {
  const { viewer } = useMe();
  const { handoff } = shown;
  const next = handoff.next_rung?.to ?? (isOpen(handoff) ? rungsAhead(shown, contract)[0]?.to : undefined);
  return (
    <>
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
    </>
  );
}

/** Returns the sender and the receiver as the card shows them. */
export function partiesOf({ handoff }: Shown, parties: Party[]): { from: PartyProps; to: PartyProps } {
  const members = parties.find((party) => party.name === handoff.to)?.members;
  const sub = handoff.holder
    ? `${handoff.holder === handoff.to ? "holds it" : `held by ${handoff.holder}`}${handoff.action ? ", lease clock stopped" : ""}`
    : members
      ? `members: ${members.join(", ")}`
      : handoff.delivered_at
        ? "has read it"
        : "has not read it yet";
  return {
    from: {
      name: handoff.from,
      icon: <Icon name={partyIcon(handoff.from, parties)} />,
      note: (
        <>
          submitted <Time at={handoff.submitted_at} />
        </>
      ),
    },
    to: {
      name: handoff.to,
      label: handoff.action ? "To, and asks you" : "To",
      icon: <Icon name={partyIcon(handoff.to, parties)} />,
      note: sub,
    },
  };
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
