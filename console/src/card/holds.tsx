// What holds a handoff, and what happens if no one acts.

import type { GateStatus, Handoff, Packet } from "../api/types";
import { Icon } from "../components/Icon";
import { Due, partyIcon, Time } from "../components/parts";
import { Text } from "../components/Text";
import { heldReason, isOpen } from "../lib/kinds";
import { confidenceLimit, ladder } from "../lib/packet";
import { isSender } from "../lib/verbs";
import { useMe } from "../session/me";

const percent = (value: number) => `${Math.round(value * 100)} %`;

export function HoldSection({ handoff, contract }: { handoff: Handoff; contract: Packet | undefined }) {
  const reasons = handoff.state === "held" ? (handoff.held_for ?? []) : [];
  const gates = handoff.gates ?? [];
  if (reasons.length === 0 && gates.length === 0 && handoff.confidence === undefined) return null;
  const plain = reasons.filter((reason) => !reason.startsWith("gate") && reason !== "confidence");
  return (
    <div className="sect conf">
      <h3>{reasons.length > 0 ? "What holds it" : "Confidence"}</h3>
      <Confidence handoff={handoff} contract={contract} isHeld={reasons.includes("confidence")} />
      <ul className="plain">
        {plain.map((reason) => (
          <li key={reason}>
            <Icon name="held" />
            <span>{sentence(heldReason(reason, handoff))}</span>
          </li>
        ))}
        {gates.map((gate) => (
          <Gate key={gate.name} gate={gate} />
        ))}
      </ul>
      {handoff.notification_failure && (
        <p className="err">
          No one could be notified (
          {handoff.notification_failure.because === "no_channel" ? "no one it is for has a channel" : "every channel failed"}).
        </p>
      )}
    </div>
  );
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

interface ConfidenceProps {
  handoff: Handoff;
  contract: Packet | undefined;
  isHeld: boolean;
}

function Confidence({ handoff, contract, isHeld }: ConfidenceProps) {
  const { confidence } = handoff;
  if (confidence === undefined) return isHeld ? <span>No confidence is stated.</span> : null;
  const limit = confidenceLimit(contract, "hold_below");
  const free = confidenceLimit(contract, "auto_progress_at");
  const isLow = isHeld || (limit !== undefined && confidence < limit);
  return (
    <>
      <svg className={`meter ${isLow ? "held" : "done"}`} viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true">
        <rect className="bg" x=".5" y="3.5" width="199" height="7" />
        <rect className="fg" x="1" y="4" width={198 * confidence} height="6" />
        {limit !== undefined && <path className="lim" d={`M${200 * limit} 0v14`} />}
      </svg>
      <span>
        <b>Confidence {percent(confidence)}</b>
        {limit !== undefined && (
          <>
            {confidence < limit ? " is below " : ", the contract asks for "}
            <b>{percent(limit)}</b>
          </>
        )}
      </span>
      {isLow && free !== undefined && (
        <span className="sec">
          Rule <code>hold_below</code> of {handoff.contract}. From {percent(free)} it goes on without a person.
        </span>
      )}
    </>
  );
}

/** The signatures of a gate, and which are missing. */
function Gate({ gate }: { gate: GateStatus }) {
  return (
    <>
      {gate.factors.map((factor) => {
        const signed = factor.signed ?? [];
        const missing = factor.needed - signed.length;
        return (
          <li key={factor.name}>
            <Icon name={missing > 0 ? "sign" : "check"} />
            <span>
              Gate <b>{gate.name}</b>, {factor.name}: {signed.length} of {factor.needed} by {factor.roles.join(" or ")}
              {signed.map((signature) => (
                <span key={signature.by} className="sec block">
                  {signature.by} signed, <Time at={signature.at} />
                </span>
              ))}
            </span>
          </li>
        );
      })}
      {gate.denied?.map((denial) => (
        <li key={denial.by}>
          <Icon name="rejected" />
          <span>
            {denial.by} refused to sign
            {denial.reason && (
              <>
                : “<Text>{denial.reason}</Text>”
              </>
            )}
          </span>
        </li>
      ))}
    </>
  );
}

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
  const decider = isSender(handoff, viewer) ? "another person" : "you";
  const waits = { held: decider, offered: handoff.to, claimed: handoff.holder ?? handoff.to, returned: handoff.judge ?? handoff.from };
  const who = waits[handoff.state as keyof typeof waits];
  return (
    <div className="sect">
      <h3>If no one acts</h3>
      <ol className="ladder">
        <li className="now">
          <span>
            Waits for <b>{who === viewer.name ? "you" : who}</b>
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
