// What holds a handoff, by name, and who decides.

import { Section } from "tasuki-handoff-protocol/parts";
import type { Handoff, HoldCause, Packet } from "../../api/types";
import type { Shown } from "../../api/queries";
import { Icon, type IconName } from "../../components/Icon";
import { causeName, percent } from "../../handoff/causes";
import { confidenceLimit } from "../../handoff/packet";
import { shortId } from "../../text/ids";
import { Gate } from "./gates";

export function HoldSection({ shown, contract }: { shown: Shown; contract: Packet | undefined }) {
  const { handoff, decisions = [] } = shown;
  const causes = handoff.state === "held" ? (handoff.causes ?? []) : [];
  const gates = handoff.gates ?? [];
  if (causes.length === 0 && gates.length === 0 && handoff.confidence === undefined) return null;
  return (
    <Section className="conf" title={causes.length > 0 ? "What holds it" : "Confidence"}>
      <Confidence handoff={handoff} contract={contract} isHeld={causes.some(({ reason }) => reason === "confidence")} />
      <ul className="plain">
        {causes
          .filter(({ reason }) => reason !== "confidence" && reason !== "gate")
          .map((cause) => (
            <Cause key={cause.by} cause={cause} handoff={handoff} />
          ))}
        {gates.map((gate) => (
          <Gate key={gate.name} gate={gate} decisions={decisions} />
        ))}
        {handoff.state === "held" && handoff.deciders && (
          <li>
            <Icon name="role" />
            <span>
              Decided by <b>{handoff.deciders.join(" and ")}</b>; {handoff.from} may not
            </span>
          </li>
        )}
      </ul>
      {handoff.notification_failure && (
        <p className="err">
          No one could be notified (
          {handoff.notification_failure.because === "failed" ? "every channel failed" : "no one it is for has a channel"}).
        </p>
      )}
    </Section>
  );
}

const CAUSE_ICONS: Record<string, IconName> = { holder: "action", handoff: "diff" };

export function Cause({ cause, handoff }: { cause: HoldCause; handoff: Handoff }) {
  const { kind, name } = causeName(cause);
  const words = () => {
    switch (kind) {
      case "rule":
        return (
          <>
            Rule <b>{name}</b> of the project asks for a person
          </>
        );
      case "trigger":
        return (
          <>
            Trigger <b>{name}</b> waits for a person
          </>
        );
      case "handoff":
        return (
          <>
            No person has accepted these bytes since <b>{shortId(name)}</b>
          </>
        );
      case "holder":
        return (
          <>
            <b>{handoff.holder}</b> asks before it runs this action
          </>
        );
      case "packet":
      case "sender":
        return (
          <>
            <b>{handoff.from}</b> asks for a person
          </>
        );
      default:
        return cause.text;
    }
  };
  return (
    <li>
      <Icon name={CAUSE_ICONS[kind] ?? "held"} />
      <span>{words()}</span>
    </li>
  );
}

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
