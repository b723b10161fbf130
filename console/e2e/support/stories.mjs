// The work that the tests and the screenshots look at.

const soon = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z/, "Z");

const contract = {
  contract: "correlation-to-investigation",
  version: "1.2",
  description: "An incident with a proposed root cause and its evidence, for investigation",
  from: ["correlator"],
  to: ["role:investigator"],
  payload_schema: { type: "object" },
  scope: { is: "a proposed root cause with evidence", is_not: ["a remediation plan"] },
  confidence: { required: true, auto_progress_at: 0.8, hold_below: 0.7 },
  provenance: { require: ["inputs", "sources", "tools"] },
  lease: { for: "120s", attempts: 3 },
  deadlines: { claim: "60s", start: "120s", progress: "300s", return: "2h", verify: "1d" },
  fallback: [{ to: "role:oncall" }, { to: "role:human-queue", after: "15m" }, { to: "dead_letter" }],
  returns: { allowed: true, require: ["status", "verification"] },
};

const gate = {
  gate: "clinical-release",
  version: "1.0",
  description: "Released for clinical use",
  factors: [
    { name: "cso", roles: ["clinical_safety_officer"], approvals: 1, meaning: ["approved_for_clinical_use"] },
    { name: "four_eyes", roles: ["compliance_officer"], approvals: 1, meaning: ["reviewed", "approved"] },
  ],
  requires_opened: ["packet", "evidence"],
};

export const incident = () => ({
  handoff_version: "1.0",
  packet_type: "handoff",
  task_id: "inc-2026-11-16-0042",
  from_agent: "correlator",
  to_agent: "role:investigator",
  status: "in_progress",
  goal: "Explain the checkout errors since 13:47",
  summary:
    "84 alerts from two services belong to one incident. It began 78 s after a deploy, and the deploy is the first suspect.",
  next_request:
    "Confirm or refute recent_deploy. Return a root cause with evidence for each criterion. Stop before any change to production.",
  completed: [
    { text: "Grouped 84 alerts into one incident", state: "verified", evidence: "query:alerts-0042" },
    { text: "Error rate rose from 0.2 % to 7.9 % at 13:47:10", state: "verified", evidence: "metric:5xx-rate" },
    { text: "payment-client 3.2.0 was deployed at 13:45:52", state: "verified", evidence: "deploy:prod-1345" },
    { text: "Retries of payment-client amplify the errors", state: "assumed" },
    { text: "State of the flag new-tax in eu-west", state: "unknown" },
  ],
  remaining: ["Find the cause"],
  payload: {
    signal_types: ["metric", "log", "trace"],
    services: ["checkout-api", "payment-client"],
    time_window: { start: "2026-11-16T13:47:10Z", seconds: 240 },
    alert_count: 84,
    primary_hypothesis: "recent_deploy",
  },
  acceptance: [
    { id: "cause", text: "Names one cause or says “none found”" },
    { id: "evidence", text: "Each claim has an evidence reference" },
  ],
  return_required: ["status", "verification"],
  scope: { is: "a proposed group of alerts with evidence", is_not: ["a remediation plan"] },
  confidence: 0.62,
  provenance: {
    inputs: ["alert stream", "deploy feed"],
    sources: ["query:alerts-0042"],
    tools: ["promql", "loki-query", "trace-search"],
    model: "corr-7b, build 118",
  },
  cost: { amount: "0.45", currency: "USD", tokens: 41200 },
  expires_at: soon(14),
  evidence_refs: ["deploy:prod-2026-11-16-1345", "trace:abc123", "query:alerts-0042"],
  artifacts: [
    {
      kind: "input",
      path: "alerts.jsonl",
      digest: `sha256:${"9f2c41ab".repeat(8)}`,
      bytes: 214_022,
      media_type: "application/jsonl",
    },
    { kind: "evidence", path: "error-rate.png", digest: `sha256:${"77ab0c12".repeat(8)}`, bytes: 38_112 },
  ],
  trigger: { kind: "confidence_below" },
  contract: "correlation-to-investigation@1.2",
});

const base = (task, from, to, goal, more = {}) => ({
  handoff_version: "1.0",
  task_id: task,
  from_agent: from,
  to_agent: to,
  status: "in_progress",
  goal,
  next_request: "Go on with the remaining steps and say what you found.",
  completed: [],
  remaining: ["Everything"],
  ...more,
});

export const rollout = () =>
  base("checkout-api-2.4.1", "hermes-main", "codex-2", "Roll out checkout-api 2.4.1 to production", {
    next_request: "Roll out, then watch error rates for 10 minutes.",
    completed: [
      { text: "Canary at 5 % ran clean from 13:00 to 13:30", state: "verified", evidence: "trace:9ac1" },
      { text: "Migration 0042 is additive and already applied", state: "verified", evidence: "commit:9f2c1e0" },
      { text: "payment-client 3.2 tolerates the new tax field", state: "assumed" },
    ],
    confidence: 0.86,
    evidence_refs: ["trace:9ac1", "commit:9f2c1e0"],
    expires_at: soon(5),
    fallback: [{ to: "role:oncall" }],
  });

export const release = () =>
  base("discharge-2026-11", "release-agent", "nhs-publisher", "Release discharge summaries 2026-11 to region North-West", {
    summary: "12,480 records become visible to 31 trusts. This cannot be undone.",
    next_request: "Publish the batch once it is signed off.",
    classification: "OFFICIAL-SENSITIVE",
    regulation_refs: [{ scheme: "UK-DCB0129", ref: "4.2" }],
    sign_off_gates: ["clinical-release"],
    retention: "P5Y",
    evidence_refs: ["report:safety-case-7", "log:dry-run-31"],
    payload: [
      { label: "Batch", value: "2026-11" },
      { label: "Records", value: 12480 },
      { label: "Region", value: "North-West" },
    ],
    trigger: { kind: "critical_action" },
  });

const rules = {
  description: "What a person must look at",
  rules: [{ name: "money-movement", when: { words: ["refund"] }, then: "hold", decide: "role:finance" }],
};

/** A handoff that a rule of the project holds for the people it names. */
export const refund = (task = "refund-4711") =>
  base(task, "planner", "codex-2", "Refund invoice 4711 to the customer", {
    summary: "The customer paid twice. The second payment of 240.00 EUR arrived on 12 November.",
    payload: [
      { label: "Invoice", value: "4711" },
      { label: "Amount", value: "240.00 EUR" },
    ],
  });

/** Text that tries to be markup, a link, another direction, or a very wide page. */
export const hostile = () =>
  base("hostile-1", "planner", "codex-2", "<script>window.pwned=1</script><img src=x onerror=window.pwned=1> [click](https://evil.example)", {
    can_intercept: true,
    summary: `isolate \u2066txt.exe\u2069 mark \u200f bell \u0007 ${"W".repeat(15_000)}`,
    payload: {
      "</script><style>*{display:none}</style>": "javascript:alert(1)",
      command: "rm \u200b-rf\u00a0/\u2067gnp.\u2069",
      word: "M".repeat(100_000),
    },
  });

/** Adds the parties, the contract and the gate. */
export function people(exchange) {
  for (const name of ["ana", "ben"]) exchange.person(name);
  const agents = ["correlator", "investigator-1", "hermes-main", "codex-2", "planner", "release-agent"];
  for (const name of [...agents, "nhs-publisher", "scraper", "synthesizer", "hermes-worker-3", "reviewer-1"]) {
    exchange.cli("ana", "party", "add", name);
  }
  const roles = {
    "role:investigator": ["investigator-1"],
    "role:oncall": ["ana", "ben"],
    "role:human-queue": ["ana"],
    "role:docs": ["ana"],
    "role:finance": ["ana"],
    "role:clinical_safety_officer": ["ana"],
    "role:compliance_officer": ["ben"],
  };
  for (const [role, members] of Object.entries(roles)) {
    exchange.cli("ana", "party", "add", role, ...members.flatMap((name) => ["--member", name]));
  }
  exchange.cliWith("ana", contract, "contract", "publish");
  exchange.cliWith("ana", gate, "gate", "publish");
  exchange.cliWith("ana", rules, "rules", "set");
}

/** Work that came back to ana, with one criterion that passes and one that was not run. */
export function returned(exchange, task) {
  const id = exchange.submit(
    base(task, "ana", "codex-2", "Add validator examples for the packet schema", {
      return_required: ["status", "verification"],
      acceptance: [
        { id: "tests", text: "npm test passes", run: "npm test" },
        { id: "a11y", text: "axe finds no violation" },
      ],
    }),
  );
  exchange.cli("codex-2", "claim", id);
  const back = {
    handoff_version: "1.0",
    packet_type: "return",
    task_id: task,
    status: "completed",
    handoff_summary: "Five examples, each checked by the validator in CI.",
    changed_paths: ["examples/validator/*.yaml"],
    verification: [
      { criterion: "tests", result: "pass", evidence: "log:test-31" },
      { criterion: "a11y", result: "not_run" },
    ],
  };
  exchange.cliWith("codex-2", back, "return", id, "--file");
  return id;
}

/** One handoff of every kind that an inbox shows. Returns their ids.
 * @returns {Record<string, string>} */
export function everyKind(exchange) {
  /** @type {Record<string, string>} */
  const ids = {};
  ids.action = exchange.submit(rollout());
  exchange.cli("codex-2", "claim", ids.action);
  const action = {
    tool: "shell",
    command: "helm upgrade checkout-api ./chart -n prod --set image.tag=2.4.1 --force",
    effect: "irreversible",
  };
  exchange.request("codex-2", ids.action, action);
  ids.hold = exchange.submit(incident());
  ids.rule = exchange.submit(refund());
  ids.gate = exchange.submit(release());
  ids.offer = exchange.submit(base("notes-1.0", "reviewer-1", "role:docs", "Confirm the wording of the 1.0 release notes"));
  ids.question = exchange.submit(base("tenant-7", "ana", "hermes-worker-3", "Build the accessible web part for the tenant"));
  exchange.cli("hermes-worker-3", "ask", ids.question, "--message", "Which tenant does the web part target?", "--field", "/context/tenant");
  ids.returned = returned(exchange, "validator-12");
  ids.mine = exchange.submit(base("invoice-export", "planner", "codex-2", "Move the invoice export to the new bucket"));
  exchange.decide("ana", "intercept", ids.mine);
  ids.dead = exchange.submit(base("pricing-7", "scraper", "synthesizer", "Extract pricing tiers into standardized JSON"));
  exchange.cli("synthesizer", "decline", ids.dead, "--message", "The pages need a session that I do not have.");
  ids.rejected = exchange.submit(base("cache-3", "ana", "codex-2", "Drop the cache tables in eu-west", { can_intercept: true }));
  exchange.decide("ben", "reject", ids.rejected, "--message", "The report of Thursday reads them. Ask again on Friday.");
  ids.asked = exchange.submit(base("wording-3", "planner", "codex-2", "Rewrite the onboarding page", { can_intercept: true, confidence: 0.9 }));
  return ids;
}

/** A contract with all its parts, whose work goes straight to the dead letters unless `more` says otherwise. */
export const edge = (name, version, from, to, more = {}) => ({
  contract: name,
  version,
  from: [from],
  to: [to],
  payload_schema: { type: "object" },
  scope: { is: "work with its limits" },
  confidence: { required: false },
  provenance: { require: [] },
  fallback: [{ to: "dead_letter" }],
  ...more,
});

/** What the pages of operators show: contracts and tokens. Returns no handoff.
 * @returns {Record<string, string>} */
export function operated(exchange) {
  const publish = (name, from, to, more = {}) =>
    exchange.cliWith("ana", edge(name, "1.0", from, to, more), "contract", "publish");
  publish("deploy", "hermes-main", "codex-2", { lease: { for: "30m", attempts: 2 }, deadlines: { claim: "10m", return: "4h" }, fallback: [{ to: "role:oncall" }, { to: "dead_letter" }] });
  publish("review", "codex-2", "reviewer-1", { returns: { allowed: true }, fallback: [{ to: "role:oncall" }, { to: "dead_letter" }] });
  publish("rework", "reviewer-1", "codex-2", { fallback: [{ to: "role:human-queue" }, { to: "dead_letter" }] });
  publish("pricing", "scraper", "synthesizer");
  publish("clinical", "release-agent", "nhs-publisher", { gates: ["clinical-release"], fallback: [{ to: "role:human-queue" }, { to: "dead_letter" }] });
  exchange.cli("hermes-main", "token", "create", "--name", "ci-hermes", "--scope", "submit,receive", "--from", "10.4.0.0/16");
  exchange.cli("codex-2", "token", "create", "--name", "codex-runner", "--for", "12d");
  return {};
}

export { base };
