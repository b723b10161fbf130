import * as api from "../../api/operate";
import type { Delivery, Subscription } from "../../api/operate";
import { Icon } from "../../components/Icon";
import { Time } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Text } from "../../components/Text";
import { shorten } from "../../text/text";
import { Panel } from "../Panel";
import { useAction, useDeliveries } from "../useOperate";
import { nameOf } from "./SubscriptionsSection";

/** The last attempts of a subscription, each of which can be delivered again. */
export function DeliveryLog({ subscription }: { subscription: Subscription }) {
  const deliveries = useDeliveries(subscription.id);
  const name = nameOf(subscription);
  const replay = useAction({
    run: (project: string, n: number) => api.replay(project, subscription.id, n),
    done: ({ deliveries: [sent] }, n) => (sent ? `Event #${n} delivered again: ${sent.status ?? sent.response}.` : `Event #${n} does not match the filter.`),
  });
  const remark = subscription.public_key ? `public key …${subscription.public_key.slice(-8)}` : undefined;
  return (
    <Panel title={`Delivery log of ${name}`} query={deliveries} end={remark} empty={deliveries.data?.length === 0 && "Nothing was delivered yet. Send a test."}>
      {replay.error && (
        <div className="in" role="alert">
          <ProblemNote error={replay.error} />
        </div>
      )}
      <table className="tb cards">
        <thead>
          <tr>
            <th>Time</th>
            <th>Event</th>
            <th>Attempt</th>
            <th>Response</th>
            <th className="num">Took</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.data?.map((one) => (
            <DeliveryRow key={`${one.n} ${one.at}`} delivery={one} isBusy={replay.isPending} onReplay={() => replay.mutate(one.n)} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function DeliveryRow({ delivery, isBusy, onReplay }: { delivery: Delivery; isBusy: boolean; onReplay: () => void }) {
  const isGood = delivery.status !== undefined && delivery.status >= 200 && delivery.status < 300;
  return (
    <tr>
      <td>
        <Time at={delivery.at} />
      </td>
      <td>
        <code>#{delivery.n}</code>
      </td>
      <td data-l="attempt">{delivery.attempt}</td>
      <td className="w">
        <span className={`mark ${isGood ? "ok" : "no"}`}>
          <Icon name={isGood ? "check" : "x"} />
          {delivery.status ?? "no response"}
        </span>{" "}
        {!isGood && (
          <span className="mut">
            <Text>{shorten(delivery.response, 120)}</Text>
          </span>
        )}
      </td>
      <td className="num" data-l="took">
        {delivery.millis} ms
      </td>
      <td className="act">
        <button type="button" className="btn sm" disabled={isBusy} aria-label={`Replay event #${delivery.n}`} onClick={onReplay}>
          <Icon name="replay" />
          Replay
        </button>
      </td>
    </tr>
  );
}
