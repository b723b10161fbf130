import type { ReactNode } from "react";
import type { Shown } from "../api/queries";
import type { Event, Packet } from "../api/types";
import { Icon } from "../components/Icon";
import { Due, Note, partyIcon, RiskMark, StateBadge, Time } from "../components/parts";
import { Sash } from "../components/Sash";
import { LongText, Text } from "../components/Text";
import { eventTitle, lastDecision } from "../handoff/history";
import { shortDigest, shortId } from "../text/ids";
import { heldBy } from "../handoff/causes";
import { isOpen } from "../handoff/kinds";
import { cost, ladder, text } from "../handoff/packet";
import { useMe } from "../session/me";
import { ActionSection, PayloadSection } from "./sections/data";
import { HoldSection } from "./sections/holds";
import { LadderSection } from "./sections/ladder";
import { EvidenceSections, ProvenanceSection } from "./sections/evidence";
import { ListSections, WhatHappened } from "./sections/facts";
import { QuestionSection, ReturnSection } from "./sections/returns";
import { StatementSection } from "./sections/statement";
import type { Attention } from "./useReading";

interface ManifestProps {
  shown: Shown;
  contract: Packet | undefined;
  events: Event[];
  attention: Attention;
}

/** The card: a ruled consignment note, always in the same order. */
export function Manifest({ shown, contract, events, attention }: ManifestProps) {
  const { handoff, packet } = shown;
  const goal = text(packet, "goal") ?? handoff.goal ?? handoff.task;
  const request = text(packet, "next_request");
  const decided = lastDecision(events);
  const isAsked = ["held", "offered"].includes(handoff.state) && !handoff.action && !shown.questions?.length;
  return (
    <article className="man" aria-labelledby="goal">
      <Header shown={shown} contract={contract} decided={decided} />
      <Leg shown={shown} />
      <Boxes shown={shown} />
      {decided && <Decided event={decided} />}
      <div className="sect">
        <h3>
          Goal
          {handoff.classification && (
            <span className="end">
              <Text>{handoff.classification}</Text>
            </span>
          )}
        </h3>
        <div id="goal">
          <LongText className="goal">{goal}</LongText>
        </div>
      </div>
      <QuestionSection shown={shown} />
      <ReturnSection shown={shown} />
      <ActionSection shown={shown} />
      <WhatHappened packet={packet} />
      <PayloadSection packet={packet} />
      {request && (
        <div className={isAsked ? "sect ask" : "sect"}>
          <h3>
            {handoff.action ? `Request to ${handoff.to}` : "What I need from you"}
            {!handoff.action && <span className="end">request to {handoff.to}</span>}
          </h3>
          <LongText>{request}</LongText>
        </div>
      )}
      <div className="two">
        <HoldSection shown={shown} contract={contract} />
        <LadderSection handoff={handoff} packet={packet} contract={contract} />
      </div>
      <ListSections packet={packet} />
      <StatementSection shown={shown} />
      <EvidenceSections packet={packet} attention={attention} />
      <ProvenanceSection shown={shown} />
      {!packet && (
        <div className="sect">
          <Note tone="held" icon="held">
            The packet is hidden until its gates are signed.
          </Note>
        </div>
      )}
      <Footer shown={shown} events={events} />
    </article>
  );
}

interface HeaderProps {
  shown: Shown;
  contract: Packet | undefined;
  decided: Event | undefined;
}

function Header({ shown, contract, decided }: HeaderProps) {
  const { handoff } = shown;
  const next = isOpen(handoff) ? ladder(shown.packet, contract)[handoff.rung ?? 0]?.to.replace("_", " ") : undefined;
  return (
    <header className="man-h">
      <h2 className="cp">Context Packet</h2>
      <StateBadge state={handoff.state}>{heldBy(handoff)}</StateBadge>
      {decided && (
        <span className="st done">
          <Icon name="done" />
          {eventTitle(decided)} by {decided.actor}
        </span>
      )}
      <RiskMark risk={handoff.risk} long />
      {handoff.due_at && (
        <Due at={handoff.due_at}>
          {" left"}
          {next && `, then ${next}`}
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

function Leg({ shown }: { shown: Shown }) {
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

function Boxes({ shown: { handoff, packet } }: { shown: Shown }) {
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

/** Says what was decided, behind an old link or after another person was faster. */
function Decided({ event }: { event: Event }) {
  const { viewer } = useMe();
  return (
    <div className="sect">
      <Note tone="done" icon="done">
        <b>
          {eventTitle(event)} by {event.actor === viewer.name ? "you" : event.actor}
        </b>
        , <Time at={event.at} />, revision {event.revision}, log #{event.n}.
        {event.reason && <LongText>{`“${event.reason}”`}</LongText>}
      </Note>
    </div>
  );
}

function Footer({ shown: { handoff }, events }: { shown: Shown; events: Event[] }) {
  const last = events.at(-1);
  return (
    <footer className="man-f">
      <span>
        revision <b>{handoff.revision}</b>
      </span>
      <span>
        digest <code title={handoff.digest}>sha256:{shortDigest(handoff.digest)}</code>
      </span>
      {handoff.action && (
        <span>
          action <code title={handoff.action.digest}>sha256:{shortDigest(handoff.action.digest)}</code>
        </span>
      )}
      {last && (
        <span className="end">
          log <code>#{last.n}</code>
        </span>
      )}
    </footer>
  );
}
