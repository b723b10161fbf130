import { useEffect, useState } from "react";
import type { Packet } from "../../api/types";
import { items } from "../../handoff/packet";
import type { FieldsProps } from "./DecisionForm";

const RESULTS = ["pass", "fail", "not_run"];

/** A return: how it went, what came of it, and a result for each acceptance criterion. */
export function ReturnFields({ shown, input, onChange }: FieldsProps) {
  const criteria = items(shown.packet, "acceptance");
  const [status, setStatus] = useState("completed");
  const [results, setResults] = useState<string[]>(criteria.map(() => "not_run"));
  const [paths, setPaths] = useState("");
  const summary = input.text ?? "";
  const required = items(shown.packet, "return_required").map((item) => item.text);
  useEffect(() => {
    const verification = criteria.map((item, index) => ({
      criterion: item.id ?? item.text,
      result: results[index] ?? "not_run",
    }));
    const document: Packet = {
      handoff_version: "1.0",
      packet_type: "return",
      task_id: shown.handoff.task,
      status,
      handoff_summary: summary,
      ...(verification.length > 0 || required.includes("verification") ? { verification } : {}),
      ...(paths.trim() || required.includes("changed_paths") ? { changed_paths: lines(paths) } : {}),
      ...(required.includes("blockers") ? { blockers: [] } : {}),
    };
    onChange({ document });
    // The document follows from these fields alone.
  }, [status, results, paths, summary]);
  return (
    <>
      <div className="form-row">
        <label htmlFor="summary">What came of it</label>
        <textarea
          id="summary"
          className="field"
          data-first
          required
          value={summary}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      </div>
      <div className="form-row">
        <label htmlFor="status">How it went</label>
        <select id="status" className="field" value={status} onChange={(event) => setStatus(event.target.value)}>
          <option value="completed">completed</option>
          <option value="blocked">blocked</option>
          <option value="failed">failed</option>
        </select>
      </div>
      {criteria.map((item, index) => (
        <div className="form-row" key={item.id ?? item.text}>
          <label htmlFor={`criterion-${index}`}>{item.text}</label>
          <select
            id={`criterion-${index}`}
            className="field"
            value={results[index]}
            onChange={(event) => setResults(results.with(index, event.target.value))}
          >
            {RESULTS.map((result) => (
              <option key={result} value={result}>
                {result.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        </div>
      ))}
      <div className="form-row">
        <label htmlFor="paths">Changed paths, one per line, optional</label>
        <textarea id="paths" className="field mono" value={paths} onChange={(event) => setPaths(event.target.value)} />
      </div>
    </>
  );
}

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
