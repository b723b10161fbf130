import { useEffect, useRef } from "react";
import type { HandoffProtocolProps } from "tasuki-handoff-protocol";
import "tasuki-handoff-protocol/element";
import type { TasukiCard } from "tasuki-handoff-protocol/element";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "tasuki-card": React.HTMLAttributes<HTMLElement> & React.RefAttributes<TasukiCard>;
    }
  }
}

/** Shows the card as `<tasuki-card>`, set up as a page without React does. */
export function ElementCard({ className, onAccept, onIntercept, onCancel, ...props }: HandoffProtocolProps) {
  const element = useRef<TasukiCard>(null);
  useEffect(() => {
    const card = element.current;
    if (!card) return;
    card.sourceAgent = props.sourceAgent;
    card.destinationAgent = props.destinationAgent;
    card.goal = props.goal;
    card.summary = props.summary;
    card.payload = props.payload;
    card.nextRequest = props.nextRequest;
    card.canIntercept = props.canIntercept ?? false;
  });
  useEffect(() => {
    const card = element.current;
    const called = { "tasuki-accept": onAccept, "tasuki-intercept": onIntercept, "tasuki-cancel": onCancel };
    const listeners = Object.entries(called).map(([name, callback]) => [name, () => callback?.()] as const);
    for (const [name, listener] of listeners) card?.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) card?.removeEventListener(name, listener);
    };
  }, [onAccept, onIntercept, onCancel]);
  return <tasuki-card ref={element} className={className} />;
}
