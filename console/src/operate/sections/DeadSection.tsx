import { Link } from "@tanstack/react-router";
import { useState } from "react";
import * as api from "../../api/client";
import type { Handoff } from "../../api/types";
import { RiskMark, Time } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Text } from "../../components/Text";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";
import { shorten } from "../../text/text";
import { ActionSheet } from "../forms/ActionSheet";
import { TextRow } from "../forms/rows";
import { Panel } from "../Panel";
import { useAction, useDead, useIsOperator } from "../useOperate";

/** What was opened and for how long is not known of a list. */
const LOOKED = { seconds: 0, opened: [] };

/** Work that no receiver is left for. */
export function DeadSection() {
  const dead = useDead();
  const [discarding, setDiscarding] = useState<Handoff>();
  const items = dead.data?.items ?? [];
  const sheet = discarding && <DiscardSheet handoff={discarding} onClose={() => setDiscarding(undefined)} />;
  return (
    <Panel title="Dead letters" query={dead} sheet={sheet} end={dead.data?.next && "the newest 500"} empty={items.length === 0 && "No dead letter. Work ends here when no receiver is left for it."}>
      <table className="tb cards">
        <thead>
          <tr>
            <th>Goal</th>
            <th>From, to</th>
            <th>Risk</th>
            <th>Died</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((handoff) => (
            <DeadRow key={handoff.id} handoff={handoff} onDiscard={() => setDiscarding(handoff)} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function DeadRow({ handoff, onDiscard }: { handoff: Handoff; onDiscard: () => void }) {
  const { project } = useMe();
  const isOperator = useIsOperator();
  const redrive = useAction({
    run: (name: string, id: string) => api.redrive(name, id, LOOKED),
    done: ({ handoff: after }) => `Redriven: ${handoff.task}, ${after?.state === "held" ? "held for a person" : `offered to ${after?.to ?? handoff.to}`}.`,
  });
  return (
    <tr>
      <td className="w">
        <Link to="/p/$project/h/$id" params={{ project, id: handoff.id }}>
          <Text>{shorten(handoff.goal ?? handoff.task, 120)}</Text>
        </Link>{" "}
        <code className="mut">{shortId(handoff.id)}</code>
        {redrive.error && (
          <div role="alert">
            <ProblemNote error={redrive.error} />
          </div>
        )}
      </td>
      <td>
        {handoff.from}{" "}
        <svg className="sx" role="img" aria-label="to">
          <use href="#i-toh" />
        </svg>{" "}
        {handoff.to}
      </td>
      <td>
        <RiskMark risk={handoff.risk} />
      </td>
      <td>
        <Time at={handoff.since ?? handoff.submitted_at} />
      </td>
      <td className="act">
        {isOperator && (
          <>
            <button type="button" className="btn sm" title={`Starts again with ${handoff.to}, all counters at zero`} disabled={redrive.isPending} aria-label={`Redrive ${handoff.task}`} onClick={() => redrive.mutate(handoff.id)}>
              Redrive
            </button>{" "}
            <button type="button" className="btn sm no" aria-label={`Discard ${handoff.task}`} onClick={onDiscard}>
              Discard…
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

function DiscardSheet({ handoff, onClose }: { handoff: Handoff; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const action = useAction({
    run: (project: string, text: string) => api.discard(project, handoff.id, text, LOOKED),
    done: () => `Discarded: ${handoff.task}.`,
    onDone: onClose,
  });
  return (
    <ActionSheet title={`Discard ${shortId(handoff.id)}`} verb={`Discard ${handoff.task}`} isNegative action={action} input={reason} consequence="Gives the work up for good. It cannot be redriven afterwards." onClose={onClose}>
      <p className="read">
        <Text>{handoff.goal ?? handoff.task}</Text>
      </p>
      <TextRow label="Reason" value={reason} onChange={setReason} isRequired isLong />
    </ActionSheet>
  );
}
