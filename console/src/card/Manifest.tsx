import type { Shown } from "../api/queries";
import type { Event, Packet } from "../api/types";
import { Note } from "../components/parts";
import { LongText, Text } from "../components/Text";
import { lastDecision } from "../handoff/history";
import { text } from "../handoff/packet";
import { shortDigest } from "../text/ids";
import { ActionSection, PayloadSection, RestSection } from "./sections/data";
import { EvidenceSections, ProvenanceSection } from "./sections/evidence";
import { ListSections, WhatHappened } from "./sections/facts";
import { Boxes, Header, Leg } from "./sections/header";
import { HoldSection } from "./sections/holds";
import { LadderSection } from "./sections/ladder";
import { Dead, Decided } from "./sections/outcome";
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
      {handoff.state === "dead" && <Dead events={events} />}
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
        <LadderSection shown={shown} contract={contract} />
      </div>
      <ListSections packet={packet} />
      <StatementSection shown={shown} />
      <EvidenceSections packet={packet} attention={attention} />
      <ProvenanceSection shown={shown} />
      <RestSection packet={packet} />
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
