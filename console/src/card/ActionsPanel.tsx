import { useActions, type Shown } from "../api/queries";
import type { ActionVersion, Approval, Handoff } from "../api/types";
import { Time } from "../components/parts";
import { LongText } from "../components/Text";
import { useMe } from "../session/me";
import { shortDigest } from "../text/ids";
import { actionText } from "../handoff/packet";

/** The versions of the actions that the holder asked approval for, newest first. */
export function ActionsPanel({ shown: { handoff, approval } }: { shown: Shown }) {
  const { project } = useMe();
  const version = handoff.action?.digest ?? approval?.decision;
  const { data } = useActions(project, handoff.id, version);
  // The card itself shows the one that waits.
  if (!data || (data.length === 1 && handoff.action)) return null;
  return (
    <section className="pan" aria-label="Actions">
      <h2>
        Actions <span className="end">{data.length}</span>
      </h2>
      <ol className="in grid gap-3">
        {data.toReversed().map((action) => (
          <Version key={action.id} version={action} status={statusOf(action, handoff, approval)} />
        ))}
      </ol>
    </section>
  );
}

/** Says what became of a version. */
function statusOf({ digest }: ActionVersion, handoff: Handoff, approval: Approval | undefined): string {
  if (handoff.action?.digest === digest) return "waits for a person";
  return approval?.requested === digest ? { approved: "accepted", edited: "changed by a person", rejected: "refused" }[approval.result] : "";
}

function Version({ version, status }: { version: ActionVersion; status: string }) {
  return (
    <li>
      <div className="row">
        <b>{version.by}</b>
        <span className="end mut">
          <Time at={version.at} />
        </span>
      </div>
      <LongText className="mono">{actionText(version.action)}</LongText>
      <p className="mut">
        {status && `${status}, `}
        <code title={version.digest}>sha256:{shortDigest(version.digest)}</code>
      </p>
    </li>
  );
}
