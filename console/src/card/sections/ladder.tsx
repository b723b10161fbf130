import { Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import type { Handoff, Packet } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Due, partyIcon, Time } from "../../components/parts";
import { isOpen, rungName } from "../../handoff/kinds";
import { rungsAhead } from "../../handoff/packet";
import { isSender, type Viewer } from "../../handoff/verbs";
import { useMe } from "../../session/me";

interface LadderProps {
  shown: Shown;
  contract: Packet | undefined;
}

/** The fallback ladder: where the work goes when the deadline passes. */
export function LadderSection({ shown, contract }: LadderProps) {
  const { handoff } = shown;
  const { parties, viewer } = useMe();
  if (!isOpen(handoff)) return null;
  return (
    <Section title="If no one acts">
      <ol className="ladder">
        <li className="now">
          <span>
            Waits for <b>{waitsFor(handoff, viewer)}</b>
          </span>
          {handoff.due_at ? <Due at={handoff.due_at} /> : <span className="mut">no deadline</span>}
        </li>
        {rungsAhead(shown, contract).map((rung) => (
          <li key={rung.to}>
            <span>
              <Icon name={rung.to === "dead_letter" ? "dead" : partyIcon(rung.to, parties)} />{" "}
              {rungName(rung.to)}
            </span>
            <span className="mut">
              {handoff.next_rung?.to === rung.to ? <Time at={handoff.next_rung.at} /> : rung.after ? `after ${rung.after}` : ""}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Names who can act now. */
function waitsFor(handoff: Handoff, viewer: Viewer): string {
  const decider = isSender(handoff, viewer) ? "another person" : "you";
  const waits = {
    held: handoff.deciders?.join(" and ") ?? decider,
    offered: handoff.to,
    claimed: handoff.holder ?? handoff.to,
    returned: handoff.judge ?? handoff.from,
  };
  const who = waits[handoff.state as keyof typeof waits];
  return who === viewer.name ? "you" : who;
}
