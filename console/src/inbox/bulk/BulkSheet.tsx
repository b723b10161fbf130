import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "../../api/queries";
import { announce } from "../../browser/announce";
import { Icon } from "../../components/Icon";
import { Sheet } from "../../components/Sheet";
import { Text } from "../../components/Text";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";
import { shorten } from "../../text/text";
import { type Bulk, bulkLabel, decideAll, type Outcome } from "./bulk";
import { titleOf } from "../list/item";

/** Shows what is decided together, sends each on its own, and says what came of it. */
export function BulkSheet({ bulk, onClose }: { bulk: Bulk; onClose: (done: string[]) => void }) {
  const { project } = useMe();
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<Record<string, Outcome>>({});
  const [state, setState] = useState<"asking" | "sending" | "done">("asking");
  const label = bulkLabel(bulk);
  const close = () => onClose(Object.values(outcomes).flatMap(({ item, isDone }) => (isDone ? [item.id] : [])));
  const send = async () => {
    setState("sending");
    let done = 0;
    await decideAll(project, bulk, (outcome) => {
      if (outcome.isDone) done += 1;
      setOutcomes((all) => ({ ...all, [outcome.item.id]: outcome }));
    });
    setState("done");
    announce(`${done} of ${bulk.items.length} done.`);
    for (const queryKey of [keys.inbox(project), keys.decided(project)]) void client.invalidateQueries({ queryKey });
  };
  return (
    <Sheet title={label} onClose={close}>
      <ul className="bulk">
        {bulk.items.map((item) => (
          <li key={item.id}>
            <b dir="auto">
              <Text>{shorten(titleOf(item), 120)}</Text>
            </b>
            <span className="mut">
              {item.from} to {item.to}, r{item.revision}, {shortId(item.id)}
            </span>
            <Result outcome={outcomes[item.id]} />
          </li>
        ))}
      </ul>
      <p className="sec">Each is sent on its own and bound to the revision that is listed. What changed meanwhile is refused.</p>
      <div className="row">
        {state === "done" ? (
          <button type="button" className="btn pri" onClick={close}>
            Close
          </button>
        ) : (
          <>
            <button type="button" className="btn pri" disabled={state === "sending"} onClick={() => void send()}>
              {label}
            </button>
            <button type="button" className="btn ghost" disabled={state === "sending"} onClick={close}>
              Back
            </button>
          </>
        )}
      </div>
    </Sheet>
  );
}

function Result({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return null;
  return (
    <span className={`mark ${outcome.isDone ? "ok" : "no"}`} role="status">
      <Icon name={outcome.isDone ? "check" : "x"} />
      <span className="wrap">{outcome.words}</span>
    </span>
  );
}
