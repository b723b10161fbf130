import { useCheckpoints } from "../api/queries";
import type { Checkpoint, Handoff } from "../api/types";
import { Time } from "../components/parts";
import { LongText, Text } from "../components/Text";
import { items, text } from "../handoff/packet";
import { useMe } from "../session/me";

/** What the holders recorded, newest first. */
export function CheckpointsPanel({ handoff }: { handoff: Handoff }) {
  const { project } = useMe();
  const { data } = useCheckpoints(project, handoff.id, handoff.checkpoints ?? 0);
  if (!data || data.length === 0) return null;
  return (
    <section className="pan" aria-label="Checkpoints">
      <h2>
        Checkpoints <span className="end">{data.length}</span>
      </h2>
      <ol className="in grid gap-3">
        {data.toReversed().map((checkpoint) => (
          <Recorded key={checkpoint.n} checkpoint={checkpoint} />
        ))}
      </ol>
    </section>
  );
}

function Recorded({ checkpoint: { by, at, packet } }: { checkpoint: Checkpoint }) {
  const summary = text(packet, "summary");
  const lists = [
    ["done", items(packet, "completed")],
    ["left", items(packet, "remaining")],
  ] as const;
  return (
    <li>
      <div className="row">
        <b>{by}</b>
        <span className="end mut">
          <Time at={at} />
        </span>
      </div>
      {summary && <LongText>{summary}</LongText>}
      {lists.map(([word, list]) =>
        list.map((item, index) => (
          <p key={`${word} ${index}`}>
            <span className="mut">{word}</span> <Text>{item.text}</Text>
          </p>
        )),
      )}
    </li>
  );
}
