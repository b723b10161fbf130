import { Link } from "@tanstack/react-router";
import type { Event } from "../api/types";
import { useSettings } from "../browser/settings";
import { Icon } from "../components/Icon";
import { partyIcon, RiskMark, STATES } from "../components/parts";
import { Text } from "../components/Text";
import { eventTitle } from "../handoff/history";
import type { Checked } from "./log/chain";
import { shortHash } from "./log/leaf";
import { useMe } from "../session/me";
import { shorten } from "../text/text";
import { clock } from "../text/time";
import type { Card } from "./feed";

interface LiveCardProps {
  card: Card;
  goal: string | undefined;
  leaf: Checked | undefined;
  needsMe: boolean;
  onCheck: (n: number) => void;
}

const CLAIMED = new Set(["claimed", "returned", "done", "passed_on"]);

/** Says what happened and who did it, unless it happened by itself. */
const stepWords = (event: Event): string => {
  const title = eventTitle(event).toLowerCase();
  return event.type === "handoff.held" || event.actor === "clock" || event.actor === "system" ? title : `${title} by ${event.actor}`;
};

/** A step of a handoff as a card that passes by. */
export function LiveCard({ card: { event, events }, goal, leaf, needsMe, onCheck }: LiveCardProps) {
  const { project, parties } = useMe();
  const { time } = useSettings();
  const { handoff = "", task = "", from = "", to = "", after, risk } = event;
  const state = after ? STATES[after] : undefined;
  const words = events.map(stepWords).join(", ");
  return (
    <article className={needsMe ? "lc need" : "lc"} aria-label={`${eventTitle(event)}: ${goal ?? task}`}>
      <div className="tm">
        <time dateTime={event.at}>{clock(Date.parse(event.at), time === "utc")}</time>
      </div>
      <div className="pt">
        <span className="pty">
          <Icon name={partyIcon(from, parties)} />
          <span className="ell">{from}</span>
        </span>
        <svg className="sx" role="img" aria-label="to">
          <use href={after && CLAIMED.has(after) ? "#i-to" : "#i-toh"} />
        </svg>
        <span className="pty">
          <Icon name={partyIcon(to, parties)} />
          <span className="ell">{to}</span>
        </span>
      </div>
      <div className="tx">
        <Link className="g" to="/p/$project/h/$id" params={{ project, id: handoff }}>
          <Text>{shorten(goal ?? task, 120)}</Text>
        </Link>
        <div className="d">
          <Link to="/p/$project/t/$task" params={{ project, task }}>
            <Text>{shorten(task, 40)}</Text>
          </Link>
          {" · "}
          <Text>{shorten(words, 120)}</Text>
          {event.reason && (
            <>
              : “<Text>{shorten(event.reason, 120)}</Text>”
            </>
          )}
        </div>
      </div>
      <div className="sr2">
        {state && (
          <span className={`st ${state.tone}`}>
            <Icon name={event.type === "handoff.moved_on" ? "rung" : state.icon} />
            {event.type === "handoff.moved_on" ? "Next rung" : state.word}
            {needsMe && ", needs you"}
          </span>
        )}
        {risk && <RiskMark risk={risk} />}
      </div>
      <div className="lf">
        <button type="button" className="disc" aria-label={`Open the check of entry ${event.n}`} onClick={() => onCheck(event.n)}>
          #{event.n}
        </button>
        {leaf && (
          <span className={leaf.status === "broken" ? "mark no" : "hash"} title={leaf.why}>
            {leaf.status === "broken" ? (
              <>
                <Icon name="rejected" />
                broken
              </>
            ) : (
              <code>{shortHash(leaf.hash)}</code>
            )}
          </span>
        )}
      </div>
    </article>
  );
}
