import { useState } from "react";
import { useParties } from "../../api/queries";
import type { Party } from "../../api/types";
import { Icon } from "../../components/Icon";
import { partyIcon } from "../../components/parts";
import { useMe } from "../../session/me";
import { MembersSheet } from "../forms/MembersSheet";
import { PartySheet } from "../forms/PartySheet";
import { AwayControl, AwayMark } from "../Away";
import { Panel } from "../Panel";
import { useIsOperator } from "../useOperate";

const KINDS: Record<Party["kind"], string> = { agent: "agent", human: "person", role: "role" };

/** Agents, people and roles. */
export function PartiesSection() {
  const { project } = useMe();
  const parties = useParties(project);
  const isOperator = useIsOperator();
  const [isAdding, setAdding] = useState(false);
  const [role, setRole] = useState<Party>();
  const add = isOperator && (
    <button type="button" className="btn sm" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add party
    </button>
  );
  const sheet = isAdding ? (
    <PartySheet onClose={() => setAdding(false)} />
  ) : (
    role && <MembersSheet role={parties.data?.find((one) => one.id === role.id) ?? role} onClose={() => setRole(undefined)} />
  );
  return (
    <Panel title="Parties" query={parties} end={add} sheet={sheet} empty={parties.data?.length === 0 && "No party yet."}>
      <table className="tb cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kind</th>
            <th>Members, or roles</th>
            <th>Skills</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {parties.data?.map((party) => (
            <PartyRow key={party.id} party={party} all={parties.data} onMembers={isOperator && party.kind === "role" ? () => setRole(party) : undefined} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function PartyRow({ party, all, onMembers }: { party: Party; all: Party[]; onMembers: (() => void) | undefined }) {
  const roles = all.filter((one) => one.members?.includes(party.name)).map((one) => one.name);
  return (
    <tr>
      <td>
        <span className="pty">
          <Icon name={partyIcon(party.name, all)} />
          <b>{party.name}</b>
        </span>
      </td>
      <td className="end">{KINDS[party.kind]}</td>
      <td className="w">
        {(party.kind === "role" ? party.members : roles)?.join(", ") || <span className="mut">none</span>} <AwayMark party={party} />
      </td>
      <td data-l={party.skills?.length ? "skills" : undefined}>{party.skills?.join(", ")}</td>
      <td className="act">
        <AwayControl party={party} />
        {onMembers && (
          <button type="button" className="btn sm" aria-label={`Change the members of ${party.name}`} onClick={onMembers}>
            Members…
          </button>
        )}
      </td>
    </tr>
  );
}
