// What the holder said when it claimed: the work in its own words, and what it found changed.

import { Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import type { ClaimStatement, Json } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Time } from "../../components/parts";
import { Text } from "../../components/Text";
import { fieldLabel } from "../../edit/editing";
import { valueText } from "../../text/text";

export function StatementSection({ shown: { claim_statement: statement } }: { shown: Shown }) {
  if (!statement) return null;
  const findings = driftOf(statement).filter((finding) => finding.outcome !== "same");
  const words = Object.entries(statement.read_back ?? {});
  if (words.length === 0 && findings.length === 0) return null;
  return (
    <Section
      title="Read back"
      note={
        <>
          by {statement.by}, <Time at={statement.at} />
        </>
      }
    >
      {words.length > 0 && (
        <dl className="dl">
          {words.map(([name, value]) => (
            <div key={name} className="contents">
              <dt>
                <Text>{fieldLabel(name)}</Text>
              </dt>
              <dd>
                <Text>{valueText(value)}</Text>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {findings.length > 0 && (
        <ul className="plain mt-1">
          {findings.map((finding, index) => (
            <li key={index}>
              <Icon name={finding.outcome === "not_looked" ? "q" : "diff"} />
              <span>
                <Text>{finding.name}</Text> <span className="sec">{OUTCOMES[finding.outcome] ?? finding.outcome}</span>
                {finding.reason && (
                  <span className="sec">
                    : <Text>{finding.reason}</Text>
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const OUTCOMES: Record<string, string> = {
  differs: "has changed since the packet was written",
  missing: "is missing",
  not_looked: "was not checked",
};

interface Finding {
  name: string;
  outcome: string;
  reason: string;
}

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");

/** Returns the findings of a drift report. It is data of another party: every access checks. */
function driftOf({ drift }: ClaimStatement): Finding[] {
  const findings = Array.isArray(drift?.findings) ? drift.findings : [];
  return findings.flatMap((one) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return [];
    return [{ name: textOf(one.name) || textOf(one.what), outcome: textOf(one.outcome), reason: textOf(one.reason) }];
  });
}
