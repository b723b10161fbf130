import { HandoffCard, Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../api/queries";
import type { Event, Packet } from "../api/types";
import { Note } from "../components/parts";
import { sashOf } from "../components/Sash";
import { Text } from "../components/Text";
import { lastDecision } from "../handoff/history";
import { items, payload, text } from "../handoff/packet";
import { useMe } from "../session/me";
import { shortDigest } from "../text/ids";
import { ActionSection, RestSection, rowsOf } from "./sections/data";
import { EvidenceSections, ProvenanceSection } from "./sections/evidence";
import { factCounts, Facts, ListSections } from "./sections/facts";
import { Boxes, partiesOf, Status } from "./sections/header";
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

/** The card of a handoff, with everything that the exchange knows about it. */
export function Manifest({ shown, contract, events, attention }: ManifestProps) {
  const { handoff, packet } = shown;
  const { parties } = useMe();
  const goal = text(packet, "goal") ?? handoff.goal ?? handoff.task;
  const decided = lastDecision(events);
  const facts = items(packet, "completed");
  const isAsked = ["held", "offered"].includes(handoff.state) && !handoff.action && !shown.questions?.length;
  return (
    <HandoffCard
      {...partiesOf(shown, parties)}
      sash={sashOf(handoff)}
      status={<Status shown={shown} contract={contract} decided={decided} />}
      details={
        <>
          <Boxes shown={shown} />
          {decided && <Decided event={decided} />}
          {handoff.state === "dead" && <Dead events={events} />}
        </>
      }
      goal={goal}
      goalNote={handoff.classification && <Text>{handoff.classification}</Text>}
      afterGoal={
        <>
          <QuestionSection shown={shown} />
          <ReturnSection shown={shown} />
          <ActionSection shown={shown} />
        </>
      }
      summary={text(packet, "summary")}
      summaryNote={factCounts(facts)}
      facts={facts.length > 0 && <Facts facts={facts} />}
      payload={rowsOf(payload(packet))}
      request={text(packet, "next_request")}
      requestTitle={handoff.action ? `Request to ${handoff.to}` : undefined}
      requestNote={!handoff.action && `request to ${handoff.to}`}
      isAsked={isAsked}
      footer={<Footer shown={shown} events={events} />}
    >
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
        <Section>
          <Note tone="held" icon="held">
            The packet is hidden until its gates are signed.
          </Note>
        </Section>
      )}
    </HandoffCard>
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
