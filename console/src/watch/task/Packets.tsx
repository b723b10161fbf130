import { Link } from "@tanstack/react-router";
import { Payload } from "tasuki-handoff-protocol/parts";
import { useRevision } from "../../api/queries";
import type { Event, Handoff } from "../../api/types";
import { rowsOf } from "../../card/sections/data";
import { StateBadge, Time, To } from "../../components/parts";
import { LongText, Text } from "../../components/Text";
import { items, payload, text } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortDigest, shortId } from "../../text/ids";
import { Revisions } from "./panels";

/** Every packet of a task, the first one first. */
export function Packets({ handoffs, events }: { handoffs: Handoff[]; events: Event[] }) {
  return (
    <div className="stack">
      {handoffs.toReversed().map((handoff) => (
        <div key={handoff.id} className="stack">
          <PacketPanel handoff={handoff} />
          {handoff.revision > 1 && <Revisions handoff={handoff} events={events} />}
        </div>
      ))}
    </div>
  );
}

function PacketPanel({ handoff }: { handoff: Handoff }) {
  const { project } = useMe();
  const { data, error } = useRevision(project, handoff.id, handoff.revision);
  const lists = [
    ["Done", items(data, "completed")],
    ["Left", items(data, "remaining")],
    ["Accepted if", items(data, "acceptance")],
  ] as const;
  return (
    <section className="pan" aria-label={`Packet of ${shortId(handoff.id)}`}>
      <h2>
        {handoff.from} <To handoff={handoff} /> {handoff.to}
        <StateBadge state={handoff.state} />
        <span className="end">
          <Time at={handoff.submitted_at} /> · r{handoff.revision} · <code title={handoff.digest}>{shortDigest(handoff.digest)}</code> ·{" "}
          <Link to="/p/$project/h/$id" params={{ project, id: handoff.id }}>
            {shortId(handoff.id)}
          </Link>
        </span>
      </h2>
      <div className="in grid gap-2">
        {error && <p className="mut">The packet is hidden until its gates are signed.</p>}
        <LongText>{text(data, "goal") ?? handoff.goal ?? handoff.task}</LongText>
        {text(data, "summary") && <LongText className="read sec">{text(data, "summary") ?? ""}</LongText>}
        {lists.map(
          ([word, list]) =>
            list.length > 0 && (
              <p key={word}>
                <span className="mut">{word}: </span>
                <Text>{list.map((one) => one.text).join("; ")}</Text>
              </p>
            ),
        )}
        {payload(data).length > 0 && <Payload rows={rowsOf(payload(data))} />}
      </div>
    </section>
  );
}
