import { useState } from "react";
import * as api from "../../api/operate";
import type { Token } from "../../api/operate";
import { useNow } from "../../browser/now";
import { Icon } from "../../components/Icon";
import { partyIcon, Time } from "../../components/parts";
import { useMe } from "../../session/me";
import { relative } from "../../text/time";
import { ActionSheet } from "../forms/ActionSheet";
import { TokenSheet } from "../forms/TokenSheet";
import { Panel } from "../Panel";
import { useAction, useTokens } from "../useOperate";

const SOON = 14 * 86_400_000;

/** Tokens without their texts. A text is shown once, when its token is created. */
export function TokensSection() {
  const tokens = useTokens(true);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const shown = (tokens.data ?? []).filter((token) => !token.revoked_at);
  const create = (
    <button type="button" className="btn sm" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Create token
    </button>
  );
  const sheet = isCreating ? (
    <TokenSheet onClose={() => setCreating(false)} />
  ) : (
    revoking && <RevokeSheet token={revoking} onClose={() => setRevoking(undefined)} />
  );
  return (
    <Panel title="Tokens" query={tokens} end={create} sheet={sheet} empty={shown.length === 0 && "No token is live. Agents that call the exchange need one."}>
      <table className="tb cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Party</th>
            <th>Scopes</th>
            <th>Network</th>
            <th>Last used</th>
            <th>Expires</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { parties } = useMe();
  const ending = token.id.slice(-4);
  return (
    <tr>
      <td>
        <b>{token.name ?? token.party}</b> <code className="mut">tok_…{ending}</code>
      </td>
      <td className="end">
        <span className="pty">
          <Icon name={partyIcon(token.party, parties)} />
          {token.party}
        </span>
      </td>
      <td className="w">
        <code>{token.scopes.join(" ")}</code>
      </td>
      <td data-l="from">{token.from?.join(", ") || "any"}</td>
      <td data-l="used">{token.last_used ? <Time at={token.last_used} /> : "never"}</td>
      <td data-l="expires">
        <Expiry at={token.expires_at} />
      </td>
      <td className="act">
        <button type="button" className="btn sm no" aria-label={`Revoke the token ${token.name ?? ending} of ${token.party}`} onClick={onRevoke}>
          Revoke
        </button>
      </td>
    </tr>
  );
}

/** A token that does not last much longer is marked. */
function Expiry({ at }: { at: string }) {
  const now = useNow();
  const left = Date.parse(at) - now;
  if (left > SOON) return relative(Date.parse(at), now);
  const words = left <= 0 ? `expired ${relative(Date.parse(at), now)}` : relative(Date.parse(at), now);
  return (
    <span className="mark as">
      <Icon name="warn" />
      {words}
    </span>
  );
}

function RevokeSheet({ token, onClose }: { token: Token; onClose: () => void }) {
  const action = useAction({
    run: (project: string, id: string) => api.revokeToken(project, id),
    done: () => `Revoked the token ${token.name ?? `…${token.id.slice(-4)}`} of ${token.party}.`,
    onDone: onClose,
  });
  return (
    <ActionSheet
      title={`Revoke ${token.name ?? `tok_…${token.id.slice(-4)}`}`}
      verb="Revoke the token"
      isNegative
      action={action}
      input={token.id}
      consequence={`Requests with it are refused from now on. ${token.party} keeps its claims until their leases end.`}
      onClose={onClose}
    />
  );
}
