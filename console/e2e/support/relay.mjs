// A task with everything that its page shows: a question, a hold, a lost lease, a rework and a hand-over.
import { base } from "./stories.mjs";

export const TASK = "build-spfx-webpart-42";

const back = (summary, keyboard, evidence) => ({
  handoff_version: "1.0",
  packet_type: "return",
  task_id: TASK,
  status: "completed",
  handoff_summary: summary,
  verification: [
    { criterion: "tests", result: "pass", evidence: "log:test-31" },
    { criterion: "keyboard", result: keyboard, ...(evidence ? { evidence } : {}) },
    { criterion: "theme", result: "not_run" },
  ],
});

const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** Lets ben accept what is held, as it is now. */
function accept(exchange, id) {
  exchange.decide("ben", "accept", JSON.parse(exchange.cli("ben", "show", id, "--json")).reference);
}

/** Plays the task up to a return that ana judges. Returns the id of its first handoff. */
export function playRelay(exchange) {
  exchange.cli("ana", "party", "add", "role:builder", "--member", "hermes-main", "--member", "hermes-worker-3");
  const id = exchange.submit(
    base(TASK, "ana", "role:builder", "Ship the accessible web part", {
      next_request: "Write the component logic and publish it.",
      confidence: 0.82,
      can_intercept: true,
      cost: { amount: "1.12", currency: "USD", tokens: 14_200 },
      return_required: ["status", "verification"],
      acceptance: [
        { id: "tests", text: "npm test passes" },
        { id: "keyboard", text: "Every control works by keyboard" },
        { id: "theme", text: "Works in the tenant theme" },
      ],
    }),
  );
  accept(exchange, id);
  exchange.cli("hermes-main", "ask", id, "--message", "Which tenant does the web part target?");
  exchange.cli("ana", "answer", id, "-m", "The tenant contoso-test");
  // The answer is a revision that no one has accepted yet.
  accept(exchange, id);
  exchange.cli("hermes-main", "claim", id, "--lease", "2s");
  exchange.cli("hermes-main", "checkpoint", id, "--completed", "Dependencies installed, config written", "--remaining", "Component logic", "--confidence", "0.62");
  wait(2200);
  exchange.cli("hermes-worker-3", "claim", id);
  exchange.cli("hermes-worker-3", "checkpoint", id, "--completed", "Component logic done, bundle 281 kB", "--remaining", "Keyboard test", "--decision", "Hooks instead of class components", "--pitfall", "The SCSS alias needs an explicit path", "--confidence", "0.81");
  exchange.cliWith("hermes-worker-3", back("The part renders in the workbench.", "fail"), "return", id, "--file");
  const first = JSON.parse(exchange.cli("ana", "show", id, "--json")).handoff.return_id;
  exchange.decide("ana", "verify", `${id}@${first}`, "--fail", "-m", "There is no keyboard test.");
  exchange.cli("hermes-worker-3", "claim", id);
  exchange.cli("hermes-worker-3", "pass-on", id, "--to", "codex-2", "--goal", "Write the keyboard test of the web part");
  // The work still asks for a person.
  accept(exchange, TASK);
  exchange.cli("codex-2", "claim", TASK);
  exchange.cliWith("codex-2", back("Keyboard test written; focus returns to the trigger.", "pass", "trace:kbd-2"), "return", TASK, "--file");
  return id;
}
