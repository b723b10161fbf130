// What the types of the package promise. The compiler is the test: an error that is expected must occur.
import { HandoffProtocol, type HandoffPayloadItem, type HandoffProtocolProps } from '@/components/HandoffProtocol';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const names: Same<
  keyof HandoffProtocolProps,
  | 'sourceAgent' | 'destinationAgent' | 'goal' | 'summary' | 'payload' | 'nextRequest'
  | 'canIntercept' | 'onAccept' | 'onIntercept' | 'onCancel' | 'className'
> = true;
const item: Same<HandoffPayloadItem, { label: string; value: string }> = true;
const required: HandoffProtocolProps = { sourceAgent: 'a', destinationAgent: 'b', goal: 'g', summary: 's' };

// @ts-expect-error: the summary is required
const incomplete: HandoffProtocolProps = { sourceAgent: 'a', destinationAgent: 'b', goal: 'g' };
// @ts-expect-error: a value is a text
const number: HandoffPayloadItem = { label: 'a', value: 1 };
// @ts-expect-error: there is no such prop
export const unknown = <HandoffProtocol {...required} state="held" />;

export const used = [names, item, required, incomplete, number];
