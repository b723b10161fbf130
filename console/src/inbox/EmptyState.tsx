import { Link } from "@tanstack/react-router";
import { useDecided, useHeld } from "../api/queries";
import { useNow } from "../browser/now";
import { Note, Time } from "../components/parts";
import { Sash } from "../components/Sash";
import { Text } from "../components/Text";
import { eventWords } from "../handoff/history";
import { shortId } from "../text/ids";
import { useSettings } from "../browser/settings";
import { clock } from "../text/time";
import { useMe } from "../session/me";
import type { InboxList } from "./list/useInboxList";

/** Says that nothing waits, and when the server last confirmed it; or that it could not be asked. */
export function EmptyState({ list, isFiltered }: { list: InboxList; isFiltered: boolean }) {
  const { project, viewer } = useMe();
  const { time } = useSettings();
  const decided = useDecided(project, viewer.name);
  const last = decided.data?.at(-1);
  const at = list.asOf && clock(Date.parse(list.asOf), time === "utc");
  if (list.error && !list.asOf) {
    return (
      <div className="empty">
        <Unanswered asOf={undefined} />
      </div>
    );
  }
  if (!at) return null;
  return (
    <div className="empty" role="status">
      <Sash handoff={{ state: "claimed" }} />
      <h2>{isFiltered ? "No handoff matches" : list.snoozed > 0 ? "Nothing else needs you" : "Nothing needs you"}</h2>
      <p className="read">
        Checked at <b>{at}</b> against log entry <code>#{list.asOfN}</code>.
        {isFiltered ? ` ${list.total} wait without the filter.` : <OthersWait />}
        {list.snoozed > 0 && ` ${list.snoozed} snoozed.`}
      </p>
      {isFiltered ? (
        <Link to="/p/$project/inbox" params={{ project }} search={{}} className="btn">
          Clear filters
        </Link>
      ) : (
        last?.handoff && (
          <p className="read">
            Last: you {eventWords(last)}{" "}
            <Link to="/p/$project/h/$id" params={{ project, id: last.handoff }}>
              <Text>{last.task ?? shortId(last.handoff)}</Text>
            </Link>
            , <Time at={last.at} />.
          </p>
        )
      )}
      {list.error && <Unanswered asOf={list.asOf} />}
    </div>
  );
}

/** Says what waits for others, so that an empty inbox is no surprise. */
function OthersWait() {
  const { project } = useMe();
  const now = useNow();
  const { data } = useHeld(project);
  if (!data || data.items.length === 0) return " No handoff is held for anyone.";
  const late = data.items.filter((handoff) => handoff.due_at && Date.parse(handoff.due_at) < now).length;
  const count = data.items.length;
  const waits = `${count}${data.next ? " or more" : ""} ${count === 1 ? "handoff waits" : "handoffs wait"} for other people`;
  return ` ${waits}, ${late === 0 ? "none" : late} past its deadline.`;
}

/** An inbox that could not be read is not an empty one. */
export function Unanswered({ asOf }: { asOf: string | undefined }) {
  const { time } = useSettings();
  return (
    <div role="status">
      <Note tone="held" icon="warn">
        <b>The exchange did not answer; this is not an empty inbox.</b>
        <br />
        {asOf ? `What is shown is from ${clock(Date.parse(asOf), time === "utc")}. ` : ""}It is asked again by itself.
      </Note>
    </div>
  );
}
