import { useState } from "react";
import { ApiError } from "../../api/http";
import type { TaskCheck } from "../../api/watching";
import type { Event } from "../../api/types";
import { useSettings } from "../../browser/settings";
import { Icon } from "../../components/Icon";
import { Note, Time } from "../../components/parts";
import { eventTitle } from "../../handoff/history";
import { clock } from "../../text/time";
import type { Checked } from "./chain";
import { shortHash } from "./leaf";
import { LeafSheet } from "./LeafSheet";

interface LogPanelProps {
  events: Event[];
  check: TaskCheck | undefined;
  error: Error | null;
  isChecking: boolean;
  onCheck: () => void;
  /** The number of entries to show, the newest ones. */
  limit?: number;
}

/** The log entries of a task, with the check that this browser made. */
export function LogPanel({ events, check, error, isChecking, onCheck, limit }: LogPanelProps) {
  const [opened, setOpened] = useState<number>();
  const { time } = useSettings();
  const rows = events.toReversed().slice(0, limit);
  const own = check?.own.length ?? 0;
  return (
    <section className="pan" aria-labelledby="log-check">
      <h2 id="log-check">
        Log check
        {check && (
          <span className="end row" role="status">
            <Icon name={check.brokenAt ? "warn" : "shield"} />
            {check.brokenAt ? `broken at #${check.brokenAt.n}` : `${own} of ${events.length} recomputed in this browser`}
          </span>
        )}
      </h2>
      {check?.brokenAt && (
        <div className="in">
          <Note tone="refused" icon="warn">
            <b>The log is broken at #{check.brokenAt.n}:</b> {check.brokenAt.why}. Do not rely on what this page shows of it. An operator runs{" "}
            <code>tasuki log check</code>.
          </Note>
        </div>
      )}
      {error && (
        <div className="in">
          <Note tone="held" icon="warn">
            {error instanceof ApiError && error.status === 403
              ? "Your session may not read the log, so nothing was checked."
              : "The log could not be read, so nothing was checked."}
          </Note>
        </div>
      )}
      <ol className="chain">
        {rows.map((event) => (
          <Entry key={event.n} event={event} leaf={check?.leaves.get(event.n)} hasBroken={check?.brokenAt?.n === event.n} onOpen={setOpened} />
        ))}
      </ol>
      <div className="in row wrap">
        <span className="mut">
          {check ? `Checked at ${clock(check.at, time === "utc")}: bytes, hash and link of each entry` : "Not checked yet"}
        </span>
        <button type="button" className="btn sm end" disabled={isChecking} onClick={onCheck}>
          Check again
        </button>
      </div>
      {opened !== undefined && <LeafSheet n={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

interface EntryProps {
  event: Event;
  leaf: Checked | undefined;
  hasBroken: boolean;
  onOpen: (n: number) => void;
}

function Entry({ event, leaf, hasBroken, onOpen }: EntryProps) {
  return (
    <li className={hasBroken ? "on" : ""}>
      <button type="button" className="disc" aria-label={`Open the check of entry ${event.n}`} onClick={() => onOpen(event.n)}>
        <code>#{event.n}</code>
      </button>
      <span className="mut">
        <Time at={event.at} />
      </span>
      <span>
        {eventTitle(event)} <span className="mut">{event.actor}</span>
      </span>
      <code className="mut">{leaf ? `${shortHash(leaf.hash).slice(0, 5)} ← ${shortHash(leaf.prev).slice(0, 5)}` : ""}</code>
      <LinkMark leaf={leaf} hasBroken={hasBroken} />
    </li>
  );
}

/** Says whether a leaf is linked to the ones beside it. */
export function LinkMark({ leaf, hasBroken = false }: { leaf: Checked | undefined; hasBroken?: boolean }) {
  if (hasBroken || leaf?.status === "broken") {
    return (
      <span className="mark no" title={leaf?.why}>
        <Icon name="rejected" />
        broken
      </span>
    );
  }
  if (!leaf) {
    return (
      <span className="mark">
        <Icon name="q" />
        not checked
      </span>
    );
  }
  return (
    <span className="mark ok" title={leaf.why}>
      <Icon name="check" />
      {leaf.status === "linked" ? "linked" : "newest"}
    </span>
  );
}
