// How it ended: what was decided, or why no one has the work any more.

import { Section } from "tasuki-handoff-protocol/parts";
import type { Event } from "../../api/types";
import { Note, Time } from "../../components/parts";
import { LongText } from "../../components/Text";
import { eventTitle, eventTone, lastFailure, TONE_ICONS } from "../../handoff/history";
import { useMe } from "../../session/me";

/** Says what was decided, behind an old link or after another person was faster. */
export function Decided({ event }: { event: Event }) {
  const { viewer } = useMe();
  return (
    <Section>
      <Note tone={eventTone(event)} icon={TONE_ICONS[eventTone(event)]}>
        <b>
          {eventTitle(event)} by {event.actor === viewer.name ? "you" : event.actor}
        </b>
        , <Time at={event.at} />, revision {event.revision}, log #{event.n}.
        {event.reason && <LongText>{`“${event.reason}”`}</LongText>}
      </Note>
    </Section>
  );
}

/** Says why no one has the work any more. */
export function Dead({ events }: { events: Event[] }) {
  const cause = lastFailure(events);
  return (
    <Section>
      <Note tone="refused" icon="dead">
        <b>No receiver is left.</b>
        {cause && (
          <>
            {" "}
            {eventTitle(cause)} by {cause.actor}, <Time at={cause.at} />.{cause.reason && <LongText>{`“${cause.reason}”`}</LongText>}
          </>
        )}
      </Note>
    </Section>
  );
}
