import type { DecisionSummary } from "../api/types";
import { Icon, type IconName } from "../components/Icon";
import { Time } from "../components/parts";
import { LongText } from "../components/Text";
import { useMe } from "../session/me";
import { span } from "../text/time";

const WORDS: Record<string, { word: string; icon: IconName }> = {
  accept: { word: "Accepted", icon: "check" },
  sign_off: { word: "Signed off", icon: "sign" },
  deny: { word: "Refused to sign", icon: "rejected" },
  reject: { word: "Rejected", icon: "rejected" },
  edit: { word: "Edited", icon: "diff" },
  reroute: { word: "Rerouted", icon: "offered" },
  intercept: { word: "Intercepted", icon: "claimed" },
  cancel: { word: "Cancelled", icon: "x" },
  redrive: { word: "Redriven", icon: "offered" },
  discard: { word: "Discarded", icon: "x" },
};

/** The decisions about a handoff: by whom, when, what they mean, and how long the person looked. */
export function DecisionsPanel({ decisions }: { decisions: DecisionSummary[] }) {
  if (decisions.length === 0) return null;
  return (
    <section className="pan" aria-label="Decisions">
      <h2>Decisions</h2>
      <ol className="in grid gap-3">
        {decisions.toReversed().map((decision) => (
          <Decision key={decision.id} decision={decision} />
        ))}
      </ol>
    </section>
  );
}

function Decision({ decision }: { decision: DecisionSummary }) {
  const { viewer } = useMe();
  const { word, icon } = WORDS[decision.decision] ?? { word: decision.decision, icon: "done" as const };
  const signed = [decision.gate && `gate ${decision.gate}`, decision.meaning?.replaceAll("_", " ")].filter(Boolean).join(": ");
  const looked = [
    decision.seconds !== undefined && `looked for ${span(decision.seconds * 1000)}`,
    decision.opened?.length && `opened ${decision.opened.join(", ")}`,
  ].filter(Boolean);
  return (
    <li>
      <div className="row">
        <Icon name={icon} />
        <span>
          <b>{word}</b> by {decision.by === viewer.name ? "you" : decision.by}
          {decision.on_behalf_of && ` for ${decision.on_behalf_of}`}
        </span>
        <span className="end mut">
          {decision.revision !== undefined && `r${decision.revision}, `}
          <Time at={decision.at} />
        </span>
      </div>
      {signed && <p>{signed}</p>}
      {decision.reason && <LongText>{`“${decision.reason}”`}</LongText>}
      {looked.length > 0 && <p className="mut">{looked.join(", ")}</p>}
    </li>
  );
}
