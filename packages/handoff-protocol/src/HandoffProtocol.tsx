"use client";

import { HandoffCard } from "./HandoffCard";

export interface HandoffPayloadItem {
  label: string;
  value: string;
}

export interface HandoffProtocolProps {
  /** The name or ID of the agent sending the context. */
  sourceAgent: string;
  /** The name or ID of the agent (or human) receiving the context. */
  destinationAgent: string;
  /** The high-level intent behind this specific transfer of control. */
  goal: string;
  /** A readable description from the source agent of what has been accomplished so far. */
  summary: string;
  /** Key-value pairs representing the structured data being passed. */
  payload?: HandoffPayloadItem[] | undefined;
  /** Explicit instructions from the source agent to the destination agent. */
  nextRequest?: string | undefined;
  /** Renders the buttons to accept, intercept or cancel the transfer. Without it the card is read-only. */
  canIntercept?: boolean | undefined;
  /** Called when the user allows the handoff to proceed. */
  onAccept?: (() => void) | undefined;
  /** Called when the user decides to take over the task manually or reroute it. */
  onIntercept?: (() => void) | undefined;
  /** Called when the user cancels the handoff entirely. */
  onCancel?: (() => void) | undefined;
  /** Additional CSS class for the root element. */
  className?: string | undefined;
}

/** Shows the transfer of work between two agents, or an agent and a person, as a card to be read. */
export function HandoffProtocol({
  sourceAgent,
  destinationAgent,
  goal,
  summary,
  payload,
  nextRequest,
  canIntercept = false,
  onAccept,
  onIntercept,
  onCancel,
  className,
}: HandoffProtocolProps) {
  // The callbacks take no arguments: the event stays inside.
  const actions = canIntercept && (
    <div className="hp-actions" part="actions">
      <button type="button" className="hp-button hp-primary" onClick={() => onAccept?.()}>
        Accept Handoff
      </button>
      <button type="button" className="hp-button" onClick={() => onIntercept?.()}>
        Intercept &amp; Override
      </button>
      <button type="button" className="hp-button hp-no" onClick={() => onCancel?.()}>
        Cancel
      </button>
    </div>
  );
  return (
    <HandoffCard
      className={className}
      from={{ name: sourceAgent }}
      to={{ name: destinationAgent }}
      sash={canIntercept ? { isHalf: true, knot: "pause" } : { isHalf: false }}
      goal={goal}
      summary={summary}
      payload={payload}
      request={nextRequest}
      isAsked={canIntercept}
      actions={actions}
    />
  );
}
