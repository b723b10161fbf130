import type { Handoff, Packet } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Due, partyIcon } from "../../components/parts";
import { isOpen } from "../../handoff/kinds";
import { ladder } from "../../handoff/packet";
import { isSender, type Viewer } from "../../handoff/verbs";
import { useMe } from "../../session/me";

interface LadderProps {
  handoff: Handoff;
  packet: Packet | undefined;
  contract: Packet | undefined;
}

/** The fallback ladder: where the work goes when the deadline passes. */
export function LadderSection({ handoff, packet, contract }: LadderProps) {
  const { parties, viewer } = useMe();
  if (!isOpen(handoff)) return null;
  const rungs = ladder(packet, contract).slice(handoff.rung ?? 0);
  return (
    <div className="sect">
      <h3>If no one acts</h3>
      <ol className="ladder">
        <li className="now">
          <span>
            Waits for <b>{waitsFor(handoff, viewer)}</b>
          </span>
          {handoff.due_at ? <Due at={handoff.due_at} /> : <span className="mut">no deadline</span>}
        </li>
        {rungs.map((rung) => (
          <li key={rung.to}>
            <span>
              <Icon name={rung.to === "dead_letter" ? "dead" : partyIcon(rung.to, parties)} />{" "}
              {rung.to === "dead_letter" ? "dead letter" : rung.to}
            </span>
            <span className="mut">{rung.after ? `after ${rung.after}` : ""}</span>
          </li>
        ))}
      </ol>
    </div>
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
