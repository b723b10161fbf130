import { type ReactNode, useId } from "react";
import type { HandoffPayloadItem } from "./HandoffProtocol";
import { Sash, type SashProps } from "./Sash";
import { LongText, Text } from "./Text";

export interface PartyProps {
  name: string;
  /** Instead of "From" and "To". */
  label?: string | undefined;
  icon?: ReactNode;
  /** A line below the name. */
  note?: ReactNode;
}

export interface HandoffCardProps {
  from: PartyProps;
  to: PartyProps;
  sash: SashProps;
  goal: string;
  summary?: string | undefined;
  payload?: HandoffPayloadItem[] | undefined;
  request?: string | undefined;
  /** Instead of "What I need from you". */
  requestTitle?: string | undefined;
  /** Marks the request as the question of this card. */
  isAsked?: boolean | undefined;
  className?: string | undefined;
  /** In the header, beside the badge. */
  status?: ReactNode;
  /** Between the parties and the goal. */
  details?: ReactNode;
  /** At the end of the lines of headings. */
  goalNote?: ReactNode;
  summaryNote?: ReactNode;
  requestNote?: ReactNode;
  /** Sections between the goal and what happened. */
  afterGoal?: ReactNode;
  /** Below the summary, in its section. */
  facts?: ReactNode;
  /** Sections after the request. */
  children?: ReactNode;
  footer?: ReactNode;
  actions?: ReactNode;
}

/** The card with its slots: a ruled consignment note, always in the same order. */
export function HandoffCard(props: HandoffCardProps) {
  const { from, to, sash, goal, summary, payload, request, facts } = props;
  const goalId = useId();
  return (
    <CardFrame className={props.className} labelledBy={goalId} status={props.status}>
      <Leg from={from} to={to} sash={sash} />
      {props.details}
      <Section title="Goal" note={props.goalNote}>
        <div id={goalId} part="goal">
          <LongText className="hp-goal">{goal}</LongText>
        </div>
      </Section>
      {props.afterGoal}
      {(summary || facts) && (
        <Section title="What happened" note={props.summaryNote}>
          {summary && <LongText>{summary}</LongText>}
          {facts}
        </Section>
      )}
      {payload && payload.length > 0 && (
        <Section title="Context Payload">
          <Payload rows={payload} />
        </Section>
      )}
      {request && (
        <Section title={props.requestTitle ?? "What I need from you"} note={props.requestNote} isAsked={props.isAsked}>
          <LongText>{request}</LongText>
        </Section>
      )}
      {props.children}
      {props.footer}
      {props.actions}
    </CardFrame>
  );
}

interface CardFrameProps {
  className?: string | undefined;
  labelledBy: string;
  status?: ReactNode;
  children: ReactNode;
}

/** The frame of a card and its header. */
export function CardFrame({ className, labelledBy, status, children }: CardFrameProps) {
  return (
    <article className={className ? `hp ${className}` : "hp"} part="card" aria-labelledby={labelledBy}>
      <header className="hp-header" part="header">
        <h2 className="hp-badge">Context Packet</h2>
        {status}
      </header>
      {children}
    </article>
  );
}

/** The two parties, and the sash between them. */
export function Leg({ from, to, sash }: { from: PartyProps; to: PartyProps; sash: SashProps }) {
  return (
    <div className="hp-leg" part="parties">
      <Party label="From" {...from} />
      <Sash {...sash} />
      <Party label="To" {...to} />
    </div>
  );
}

function Party({ label, name, icon, note }: PartyProps) {
  return (
    <div>
      <div className="hp-label">{label}</div>
      <div className="hp-name">
        {icon}
        <span dir="auto">
          <Text>{name}</Text>
        </span>
      </div>
      {note && <div className="hp-note">{note}</div>}
    </div>
  );
}

interface SectionProps {
  title?: ReactNode;
  /** At the end of the line of the title. */
  note?: ReactNode;
  isAsked?: boolean | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A section of a card. */
export function Section({ title, note, isAsked = false, className = "", children }: SectionProps) {
  return (
    <div className={`hp-section ${isAsked ? "hp-ask" : ""} ${className}`.trimEnd()}>
      {title && (
        <h3>
          {title} {note && <span className="hp-end">{note}</span>}
        </h3>
      )}
      {children}
    </div>
  );
}

const LONG_VALUE = 2000;

/** Labelled values, each exactly as it was sent. */
export function Payload({ rows }: { rows: HandoffPayloadItem[] }) {
  return (
    <table className="hp-payload" part="payload">
      <tbody>
        {rows.map(({ label, value }, index) => (
          <tr key={`${label} ${index}`}>
            <th scope="row" dir="auto">
              <Text>{label}</Text>
            </th>
            <td dir="auto">{value.length > LONG_VALUE ? <LongText className="">{value}</LongText> : <Text>{value}</Text>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
