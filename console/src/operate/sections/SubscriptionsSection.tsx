import { useState } from "react";
import * as api from "../../api/operate";
import type { Subscription } from "../../api/operate";
import { Icon, type IconName } from "../../components/Icon";
import { ProblemNote } from "../../components/Problem";
import { shortId } from "../../text/ids";
import { ActionSheet } from "../forms/ActionSheet";
import { SubscriptionSheet } from "../forms/SubscriptionSheet";
import { Panel } from "../Panel";
import { useAction, useSubscriptions } from "../useOperate";
import { DeliveryLog } from "./DeliveryLog";

/** Subscriptions that the person manages: an operator all of them, another person their own. */
export function SubscriptionsSection() {
  const subscriptions = useSubscriptions();
  const [isAdding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const [removing, setRemoving] = useState<Subscription>();
  const all = subscriptions.data ?? [];
  const selected = all.find((one) => one.id === chosen) ?? all[0];
  const add = (
    <button type="button" className="btn sm" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add subscription
    </button>
  );
  return (
    <>
      <Panel title="Subscriptions" query={subscriptions} end={add} empty={all.length === 0 && "No subscription. Events reach other systems by webhook, mail, Slack or ntfy."}>
        <table className="tb cards">
          <thead>
            <tr>
              <th>To</th>
              <th>Kind</th>
              <th>For</th>
              <th>Events</th>
              <th>State</th>
              <th>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((one) => (
              <SubscriptionRow key={one.id} subscription={one} isSelected={one.id === selected?.id} onSelect={() => setChosen(one.id)} onRemove={() => setRemoving(one)} />
            ))}
          </tbody>
        </table>
      </Panel>
      {selected && <DeliveryLog subscription={selected} />}
      {isAdding && <SubscriptionSheet onClose={() => setAdding(false)} />}
      {removing && <RemoveSheet subscription={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

const KINDS: Record<Subscription["kind"], string> = { webhook: "webhook, signed", email: "mail", slack: "Slack", ntfy: "ntfy", none: "removed" };

/** Names a subscription by where it delivers. */
export const nameOf = (one: Subscription): string => one.url ?? one.address ?? shortId(one.id);

interface RowProps {
  subscription: Subscription;
  isSelected: boolean;
  onSelect: () => void;
  onRemove: () => void;
}

function SubscriptionRow({ subscription, isSelected, onSelect, onRemove }: RowProps) {
  const isActive = subscription.status === "active";
  const name = nameOf(subscription);
  const change = useAction({
    run: (project: string, to: "enable" | "disable") => api.setSubscription(project, subscription.id, to),
    done: (_, to) => (to === "enable" ? `Enabled ${name}; it continues where it stopped.` : `Disabled ${name}.`),
  });
  const test = useAction({
    run: (project: string, _: void) => api.testSubscription(project, subscription.id),
    done: ({ status, millis, response }) => `Test of ${name}: ${status ?? response} after ${millis} ms.`,
  });
  return (
    <tr className={isSelected ? "on" : undefined}>
      <td>
        <button type="button" className="link" aria-pressed={isSelected} onClick={onSelect}>
          {name}
        </button>
        {(change.error ?? test.error) && (
          <div role="alert">
            <ProblemNote error={(change.error ?? test.error) as Error} />
          </div>
        )}
      </td>
      <td className="end">{KINDS[subscription.kind]}</td>
      <td data-l="for">{subscription.party}</td>
      <td className="w">{subscription.filter?.type?.join(", ") || "every event"}</td>
      <td>
        <State subscription={subscription} />
      </td>
      <td className="act">
        {isActive && (
          <button type="button" className="btn sm" disabled={test.isPending} onClick={() => test.mutate()}>
            Send test<span className="sr-only"> to {name}</span>
          </button>
        )}{" "}
        <button
          type="button"
          className="btn sm"
          disabled={change.isPending}
          aria-label={`${isActive ? "Disable" : "Enable"} ${name}`}
          onClick={() => change.mutate(isActive ? "disable" : "enable")}
        >
          {isActive ? "Disable" : "Enable"}
        </button>{" "}
        <button type="button" className="btn sm no" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </td>
    </tr>
  );
}

const BECAUSE: Record<string, string> = { asked: "disabled", failing: "disabled: deliveries failed", gone: "disabled: the receiver is gone" };

function State({ subscription }: { subscription: Subscription }) {
  const [tone, icon, words]: [string, IconName, string] =
    subscription.status === "active" ? ["ok", "check", "active"] : ["as", "warn", BECAUSE[subscription.because ?? "asked"] ?? "disabled"];
  return (
    <span className={`mark ${tone}`}>
      <Icon name={icon} />
      {words}
    </span>
  );
}

function RemoveSheet({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const action = useAction({
    run: (project: string, id: string) => api.removeSubscription(project, id),
    done: () => `Removed ${nameOf(subscription)}.`,
    onDone: onClose,
  });
  return (
    <ActionSheet
      title={`Remove ${nameOf(subscription)}`}
      verb="Remove the subscription"
      isNegative
      action={action}
      input={subscription.id}
      consequence="Its address, secrets and delivery log are removed. Events that were not delivered stay in the log of the exchange."
      onClose={onClose}
    />
  );
}
