import { Fragment } from "react";
import type { Json } from "../../api/types";
import { Copyable } from "../../components/Command";
import { Panel } from "../Panel";
import { useGateDocuments, useRules } from "../useOperate";

type Document = { [name: string]: Json };

/** Gates and rules, read-only: they are files, published from the command line. */
export function GatesSection() {
  const gates = useGateDocuments();
  const rules = useRules();
  const entries = (rules.data?.document?.rules ?? []) as Document[];
  return (
    <>
      <Panel title="Gates" query={gates} end="read-only here; files in gates/" empty={gates.data?.length === 0 && "No gate is published."}>
        <table className="tb cards">
          <thead>
            <tr>
              <th>Gate</th>
              <th>Signatures</th>
              <th>Lasts</th>
              <th>Must be opened</th>
            </tr>
          </thead>
          <tbody>
            {gates.data?.map((gate) => (
              <tr key={said(gate.gate)}>
                <td>
                  <b>{`${said(gate.gate)}@${said(gate.version)}`}</b>
                  <span className="mut block">{said(gate.description)}</span>
                </td>
                <td className="w">{factorsOf(gate)}</td>
                <td data-l="lasts">{said(gate.ttl) || "no limit"}</td>
                <td data-l="opened">{list(gate.requires_opened) || "nothing"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title="Rules" query={rules} end="read-only here; one document" empty={entries.length === 0 && "The project has no rules."}>
        <table className="tb cards">
          <thead>
            <tr>
              <th>Rule</th>
              <th>When</th>
              <th>Then</th>
              <th>Decided by</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((rule) => (
              <tr key={said(rule.name)}>
                <td>
                  <b>{said(rule.name)}</b>
                </td>
                <td className="w">{whenOf(rule.when)}</td>
                <td data-l="then">{said(rule.then)}</td>
                <td data-l="by">{said(rule.decide) || said((rule.decide as Document | undefined)?.by) || "any person"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <div className="cmds">
        <Copyable text="tasuki gate publish gates/" />
        <Copyable text="tasuki rules set rules.yaml" />
      </div>
    </>
  );
}

const said = (value: Json | undefined): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");
const list = (value: Json | undefined): string => (Array.isArray(value) ? value.map(said).join(", ") : said(value));

function factorsOf(gate: Document) {
  const factors = (gate.factors ?? []) as Document[];
  return factors.map((factor, at) => (
    <Fragment key={said(factor.name)}>
      {at > 0 && ", "}
      <b>{said(factor.name)}</b>: {said(factor.approvals) || "1"} of {list(factor.roles)}
    </Fragment>
  ));
}

/** Says a condition in its own words: `words refund; risk high`. */
function whenOf(when: Json | undefined): string {
  if (typeof when !== "object" || when === null || Array.isArray(when)) return "";
  return Object.entries(when)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : list(value)}`)
    .join("; ");
}
