import { useState } from "react";
import * as api from "../../api/operate";
import type { Subscription, SubscriptionRequest } from "../../api/operate";
import { Copyable } from "../../components/Command";
import { Note } from "../../components/parts";
import { Sheet } from "../../components/Sheet";
import { useMe } from "../../session/me";
import { useAction, useIsOperator } from "../useOperate";
import { ActionSheet } from "./ActionSheet";
import { SelectRow, TextRow, words } from "./rows";

const CHANNELS = {
  url: { word: "webhook", label: "URL", hint: "It gets a signed POST for each event." },
  address: { word: "mail", label: "Mailbox", hint: "Such as ana@example.org." },
  slack: { word: "Slack", label: "URL of the incoming webhook", hint: "It is kept secret: lists show only its origin." },
  ntfy: { word: "ntfy", label: "URL of the topic", hint: "Such as https://ntfy.sh/TOPIC." },
} as const;

type Channel = keyof typeof CHANNELS;

interface Form {
  channel: Channel;
  to: string;
  party: string;
  types: string;
}

/** Adds a subscription. The secret of a webhook is shown once. */
export function SubscriptionSheet({ onClose }: { onClose: () => void }) {
  const { viewer, parties } = useMe();
  const isOperator = useIsOperator();
  const [created, setCreated] = useState<Subscription>();
  const [form, setForm] = useState<Form>({ channel: "url", to: "", party: viewer.name, types: "" });
  const change = (part: Partial<Form>) => setForm({ ...form, ...part });
  const action = useAction({
    run: (project: string, given: Form) => api.addSubscription(project, requestOf(given)),
    done: ({ subscription }) => `Added a subscription for ${subscription?.party ?? form.party}.`,
    onDone: ({ subscription }) => (subscription?.secret ? setCreated(subscription) : onClose()),
  });
  const channel = CHANNELS[form.channel];
  if (created?.secret) return <Created secret={created.secret} onClose={onClose} />;
  return (
    <ActionSheet title="Add a subscription" verb="Add the subscription" action={action} input={form} consequence="Events from now on are delivered, at least once and in order." onClose={onClose}>
      <SelectRow
        label="Channel"
        value={form.channel}
        options={Object.entries(CHANNELS).map(([name, { word }]) => [name, word])}
        onChange={(name) => change({ channel: name as Channel })}
      />
      <TextRow label={channel.label} hint={channel.hint} value={form.to} isRequired isMono onChange={(to) => change({ to })} />
      {isOperator && <TextRow label="For" hint="The party that is subscribed." value={form.party} isRequired offers={parties.map((party) => party.name)} onChange={(party) => change({ party })} />}
      <TextRow label="Events" hint="Types such as handoff.held, handoff.died. Empty: every event." value={form.types} isMono onChange={(types) => change({ types })} />
    </ActionSheet>
  );
}

function requestOf({ channel, to, party, types }: Form): SubscriptionRequest {
  return { party, [channel]: to, ...(types ? { filter: { type: words(types) } } : {}) };
}

function Created({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Sheet title="Secret of the webhook" onClose={onClose}>
      <Note tone="held" icon="warn">
        <b>Copy it now.</b> This is the only time that it is shown. The receiver checks signatures with it.
      </Note>
      <Copyable text={secret} label="Copy secret" isSecret />
      <div className="foot">
        <button type="button" className="btn pri" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Sheet>
  );
}
