import { useState } from "react";
import { HandoffProtocol, type HandoffProtocolProps } from "tasuki-handoff-protocol";
import { Controls } from "./Controls";
import { ElementCard } from "./ElementCard";
import { EXAMPLE } from "./states";
import { usageOf } from "./usage";

export type Callback = "onAccept" | "onIntercept" | "onCancel";

/** What the controls set: the values of the props, and which callbacks are given. */
export interface Choices {
  values: HandoffProtocolProps;
  callbacks: Record<Callback, boolean>;
  isElement: boolean;
}

const START: Choices = {
  values: { ...EXAMPLE, canIntercept: true },
  callbacks: { onAccept: true, onIntercept: true, onCancel: true },
  isElement: false,
};

/** The card with a control for each of its props. */
export function Playground() {
  const [choices, setChoices] = useState(START);
  const [calls, setCalls] = useState<string[]>([]);
  const { values, callbacks, isElement } = choices;
  const called = (name: Callback) => (callbacks[name] ? () => setCalls((before) => [...before, name]) : undefined);
  const props: HandoffProtocolProps = {
    ...values,
    onAccept: called("onAccept"),
    onIntercept: called("onIntercept"),
    onCancel: called("onCancel"),
  };
  const last = calls.at(-1);
  return (
    <div className="play">
      <div className="play-card" data-state="playground">
        {isElement ? <ElementCard {...props} /> : <HandoffProtocol {...props} />}
        <p className="sec" role="status">
          {last ? `${last}() was called, call ${calls.length}.` : "No callback was called yet."}
        </p>
        <pre className="code" tabIndex={0} role="region" aria-label="Usage">
          <span>{usageOf(choices)}</span>
        </pre>
      </div>
      <Controls choices={choices} onChange={setChoices} />
    </div>
  );
}
