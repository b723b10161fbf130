import { useState } from "react";
import type { Shown } from "../../api/queries";
import { consequence, opensForm, VERBS } from "../../handoff/consequence";
import { useNarrow } from "../../browser/media";
import { useNow } from "../../browser/now";
import { span } from "../../text/time";
import type { Verb } from "../../handoff/verbs";

interface VerbBarProps {
  shown: Shown;
  verbs: Verb[];
  hasChanged: boolean;
  isBusy: boolean;
  isOffline: boolean;
  variant: "pane" | "page";
  seconds: () => number;
  onChoose: (verb: Verb) => void;
}

const keyName = (key: string) => (key === "C" ? "⇧C" : key.toUpperCase());
const tone = (verb: Verb, isFirst: boolean) => {
  const { tone: word } = VERBS[verb];
  return word === "primary" ? (isFirst ? "btn pri" : "btn") : word === "negative" ? "btn no" : "btn";
};

/** The verbs that state and role allow. The others are absent. */
export function VerbBar(props: VerbBarProps) {
  const { verbs, isOffline, variant } = props;
  if (verbs.length === 0) return <p className="sec">There is nothing for you to decide here.</p>;
  return (
    <>
      {isOffline && (
        <p className="sec mb-2" role="status">
          The exchange does not answer. Decisions are off until the revision is checked again.
        </p>
      )}
      {variant === "page" ? <Grid {...props} /> : <Line {...props} />}
    </>
  );
}

/** Says the revision on the button when it is not the one that was read. */
function label(verb: Verb, { shown, hasChanged }: VerbBarProps): string {
  const text = VERBS[verb].label + (opensForm(verb, shown.handoff) && verb !== "cancel" ? "…" : "");
  return hasChanged && verb === "accept" ? `Accept r${shown.handoff.revision}` : text;
}

function Line(props: VerbBarProps) {
  const { shown, verbs, isBusy, isOffline, onChoose, seconds } = props;
  useNow();
  const [hovered, setHovered] = useState<Verb>();
  const first = verbs[0];
  const said = hovered && verbs.includes(hovered) ? hovered : first;
  const button = (verb: Verb) => (
    <button
      key={verb}
      type="button"
      data-verb={verb}
      className={verb === "cancel" ? "btn ghost" : tone(verb, verb === first)}
      disabled={isBusy || isOffline}
      aria-describedby="consequence"
      onClick={() => onChoose(verb)}
      onMouseEnter={() => setHovered(verb)}
      onMouseLeave={() => setHovered(undefined)}
      onFocus={() => setHovered(verb)}
      onBlur={() => setHovered(undefined)}
    >
      {label(verb, props)} {VERBS[verb].key && <kbd>{keyName(VERBS[verb].key)}</kbd>}
    </button>
  );
  return (
    <>
      <div className="acts">
        {verbs.filter((verb) => verb !== "cancel").map(button)}
        {verbs.includes("cancel") && <span className="end">{button("cancel")}</span>}
      </div>
      <p className="say">
        <span id="consequence">
          {said && (
            <>
              <b>{VERBS[said].label}</b>: {consequence(said, shown.handoff)}
            </>
          )}
        </span>
        <span className="mut">Open for {span(seconds() * 1000)}; recorded with your decision</span>
      </p>
    </>
  );
}

function Grid(props: VerbBarProps) {
  const { shown, verbs, isBusy, isOffline, onChoose } = props;
  const isNarrow = useNarrow();
  const [showsMore, setShowsMore] = useState(false);
  const isShort = isNarrow && !showsMore && verbs.length > 4;
  return (
    <div className={`verbs ${showsMore ? "more" : ""} ${[3, 5, 6, 9].includes(verbs.length) ? "by3" : ""}`}>
      {(isShort ? verbs.slice(0, 3) : verbs).map((verb, index) => (
        <div key={verb} className={index === 0 ? "full" : ""}>
          <button
            type="button"
            data-verb={verb}
            className={tone(verb, index === 0)}
            disabled={isBusy || isOffline}
            aria-describedby={`does-${verb}`}
            onClick={() => onChoose(verb)}
          >
            {label(verb, props)} {VERBS[verb].key && <kbd>{keyName(VERBS[verb].key)}</kbd>}
          </button>
          <p id={`does-${verb}`}>{consequence(verb, shown.handoff)}</p>
        </div>
      ))}
      {isShort && (
        <div>
          <button type="button" className="btn" onClick={() => setShowsMore(true)}>
            More
          </button>
        </div>
      )}
    </div>
  );
}
