import { useState } from "react";
import { Copyable } from "../../components/Command";
import { Icon } from "../../components/Icon";
import { Note } from "../../components/parts";
import { useMe } from "../../session/me";
import { type Contract, lacksFallback } from "../contract";
import { ContractGraph } from "../ContractGraph";
import { Panel } from "../Panel";
import { useContracts, useProject } from "../useOperate";

/** Contracts with their graph. They are files under version control, so they are read here and published there. */
export function ContractsSection() {
  const contracts = useContracts();
  const { parties } = useMe();
  const ladder = useProject().data?.settings.ladder ?? [];
  const [chosen, setChosen] = useState<string>();
  const all = contracts.data ?? [];
  const selected = all.find((one) => one.identity === chosen) ?? all[0];
  const people = new Set(parties.filter((party) => party.kind === "human").map((party) => party.name));
  const unsafe = all.filter((one) => lacksFallback(one, ladder));
  return (
    <>
      <Panel title="Contracts" query={contracts} end="read-only here; files in contracts/" empty={all.length === 0 && "No contract is published."}>
        <div className="opg">
          <div className="gscroll" tabIndex={0} role="region" aria-label="Contract graph, scrolls sideways">
            <ContractGraph contracts={all} people={people} unsafe={new Set(unsafe.map((one) => one.identity))} selected={selected?.identity} onSelect={setChosen} />
          </div>
          {selected && <Selected contract={selected} unsafe={unsafe} />}
        </div>
      </Panel>
      {all.length > 0 && <ContractTable contracts={all} unsafe={unsafe} selected={selected?.identity} onSelect={setChosen} />}
      {all.length === 0 && !contracts.isPending && <Copyable text="tasuki contract publish contracts/" />}
    </>
  );
}

function Selected({ contract, unsafe }: { contract: Contract; unsafe: Contract[] }) {
  return (
    <aside aria-label="Selected contract">
      <div>
        <div className="lbl">Selected edge</div>
        <b className="sash-t">{contract.identity}</b>
        {contract.description && <p className="sec">{contract.description}</p>}
      </div>
      <dl className="dl">
        <dt>From, to</dt>
        <dd>
          {contract.from.join(", ")}{" "}
          <svg className="sx" role="img" aria-label="to">
            <use href="#i-to" />
          </svg>{" "}
          {contract.to.join(", ")}
        </dd>
        {contract.facts.map(([label, value]) => (
          <Fact key={label} label={label} value={value} />
        ))}
      </dl>
      {unsafe.map((one) => (
        <Note key={one.identity} tone="held" icon="warn">
          <b>{one.identity}</b> has no fallback. A failed handoff goes straight to the dead letters.
        </Note>
      ))}
      <Copyable text={`tasuki contract show ${contract.identity}`} />
      <Copyable text="tasuki contract check contracts/" />
    </aside>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}

interface TableProps {
  contracts: Contract[];
  unsafe: Contract[];
  selected: string | undefined;
  onSelect: (identity: string) => void;
}

/** The graph as a table: the same edges, for everyone who does not see the drawing. */
function ContractTable({ contracts, unsafe, selected, onSelect }: TableProps) {
  return (
    <section className="pan" aria-label="Edges">
      <h2>Edges</h2>
      <table className="tb cards">
        <thead>
          <tr>
            <th>Contract</th>
            <th>From</th>
            <th>To</th>
            <th>Gates</th>
            <th>Then</th>
          </tr>
        </thead>
        <tbody>
          {contracts.map((one) => (
            <tr key={one.identity} className={one.identity === selected ? "on" : undefined}>
              <td>
                <button type="button" className="link" aria-pressed={one.identity === selected} onClick={() => onSelect(one.identity)}>
                  {one.identity}
                </button>
              </td>
              <td data-l="from">{one.from.join(", ")}</td>
              <td data-l="to">{one.to.join(", ")}</td>
              <td data-l={one.gates.length > 0 ? "gates" : undefined}>{one.gates.join(", ") || <span className="mut hide-s">none</span>}</td>
              <td className="w">
                {unsafe.includes(one) ? (
                  <span className="mark as">
                    <Icon name="warn" />
                    no fallback
                  </span>
                ) : (
                  one.fallback.map(({ to }) => to.replace("_", " ")).join(", ") || <span className="mut">the ladder of the project</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
