import type { HandoffDetails } from "../api/types";
import { Time } from "../components/parts";
import { Text } from "../components/Text";
import { doneOf, steps } from "../handoff/progress";

/** The steps that are done and left now, and the last sign of life of the holder. */
export function StepsPanel({ shown: { handoff, progress } }: { shown: HandoffDetails }) {
  const listed = progress ? steps(progress) : [];
  if (!progress || listed.length === 0) return null;
  const counts = { done: progress.done.length, left: progress.left.length };
  return (
    <section className="pan" aria-label="Steps">
      <h2>
        Steps <span className="end">{doneOf(handoff.steps ?? counts)}</span>
      </h2>
      <div className="in grid gap-2">
        <ol className="plain">
          {listed.map(({ number, text, isDone, by, at }) => (
            <li key={number}>
              <span className="mut">{isDone ? "done" : "left"}</span> {number}. <Text>{text}</Text>
              {at && (
                <span className="end mut">
                  {by} <Time at={at} />
                </span>
              )}
            </li>
          ))}
        </ol>
        {progress.alive_at && (
          <p className="mut">
            Last sign of life <Time at={progress.alive_at} />
          </p>
        )}
      </div>
    </section>
  );
}
