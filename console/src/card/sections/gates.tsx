import type { DecisionSummary, GateFactor, GateStatus } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Time } from "../../components/parts";
import { Text } from "../../components/Text";

interface GateProps {
  gate: GateStatus;
  /** The decisions about the handoff; they carry the meaning of each signature. */
  decisions: DecisionSummary[];
}

/** The signatures of a gate, and which are missing. */
export function Gate({ gate, decisions }: GateProps) {
  return (
    <>
      {gate.factors.map((factor) => (
        <Factor key={factor.name} gate={gate.name} factor={factor} decisions={decisions} />
      ))}
      {gate.denied?.map((denial) => (
        <li key={denial.by}>
          <Icon name="rejected" />
          <span>
            <b>{denial.by}</b> refused to sign
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

function Factor({ gate, factor, decisions }: { gate: string; factor: GateFactor; decisions: DecisionSummary[] }) {
  const signed = factor.signed ?? [];
  const missing = factor.needed - signed.length;
  const meaningOf = (by: string) => decisions.findLast((one) => one.by === by && one.gate === gate)?.meaning;
  return (
    <li>
      <Icon name={missing > 0 ? "sign" : "check"} />
      <span>
        Gate <b>{gate}</b>, {factor.name.replaceAll("_", " ")}: {signed.length} of {factor.needed} by {factor.roles.join(" or ")}
        {signed.map(({ by, at }) => (
          <span key={by} className="sec block">
            <b>{by}</b> signed, <Time at={at} />
            {meaningOf(by) && <>: {meaningOf(by)?.replaceAll("_", " ")}</>}
          </span>
        ))}
      </span>
    </li>
  );
}
