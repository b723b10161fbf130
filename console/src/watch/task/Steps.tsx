import { Link } from "@tanstack/react-router";
import { Icon } from "../../components/Icon";
import { Time } from "../../components/parts";
import { Text } from "../../components/Text";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";
import type { Relay } from "./relay";
import { isQuestion, lastedWords, markWords, outcomeWords, type Step, stepsOf, stretchWords, TONES } from "./words";

const ICONS = { wait: "offered", hold: "held", claim: "claimed", judge: "returned" } as const;

const toneOf = (step: Step) => ("stretch" in step ? TONES[step.stretch.kind] : isQuestion(step.mark) ? "offered" : "refused");
const iconOf = (step: Step) => ("stretch" in step ? ICONS[step.stretch.kind] : isQuestion(step.mark) ? "question" : "x");

/** The relay as an ordered list, where there is no room for lanes. */
export function Legs({ relay }: { relay: Relay }) {
  return (
    <ol className="legs">
      {stepsOf(relay).map((step) => (
        <li key={step.key} className={toneOf(step)}>
          <span className="mut">
            <Time at={new Date(step.at).toISOString()} />
          </span>
          <Icon name={iconOf(step)} />
          <span>
            <StepWords step={step} />
            {"stretch" in step && (
              <>
                <br />
                <span className="mut">
                  {lastedWords(step.stretch, relay.end)}, <Text>{outcomeWords(step.stretch)}</Text>
                </span>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function StepWords({ step }: { step: Step }) {
  if ("mark" in step) {
    const { event, lane } = step.mark;
    return (
      <>
        {markWords(step.mark)}, {lane}
        {event.reason && (
          <>
            : “<Text>{event.reason}</Text>”
          </>
        )}
      </>
    );
  }
  const { checkpoints, fence } = step.stretch;
  return (
    <>
      {stretchWords(step.stretch)}
      {fence !== undefined && `, fence ${fence}`}
      {checkpoints.length > 0 && `, ${checkpoints.length} ${checkpoints.length === 1 ? "checkpoint" : "checkpoints"}`}
    </>
  );
}

/** The relay as a table: the same facts as the timeline and the graph. */
export function StepsTable({ relay }: { relay: Relay }) {
  const { project } = useMe();
  const numbers = new Map(relay.passes.map((pass) => [`${pass.handoff} ${pass.arrived} ${pass.to}`, pass]));
  return (
    <table className="tb cards">
      <caption className="sr-only">Who had the work, in order</caption>
      <thead>
        <tr>
          <th>At</th>
          <th>What</th>
          <th>Hand-over</th>
          <th className="num">Lasted</th>
          <th>Ended</th>
          <th>Handoff</th>
        </tr>
      </thead>
      <tbody>
        {stepsOf(relay).map((step) => {
          const pass = "stretch" in step ? numbers.get(`${step.stretch.handoff} ${step.stretch.from} ${step.stretch.lane}`) : undefined;
          const handoff = "stretch" in step ? step.stretch.handoff : (step.mark.event.handoff ?? "");
          return (
            <tr key={step.key}>
              <td>
                <Time at={new Date(step.at).toISOString()} />
              </td>
              <td className="w">
                <StepWords step={step} />
              </td>
              <td data-l="hand-over">{pass ? `${pass.number}: ${pass.from} to ${pass.to}` : "–"}</td>
              <td className="num">{"stretch" in step ? lastedWords(step.stretch, relay.end) : "–"}</td>
              <td>{"stretch" in step ? <Text>{outcomeWords(step.stretch)}</Text> : "–"}</td>
              <td className="end">
                <Link to="/p/$project/h/$id" params={{ project, id: handoff }}>
                  {shortId(handoff)}
                </Link>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
