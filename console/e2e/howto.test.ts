// The code of `docs/howto/show-handoffs-in-your-app.md`, run against a real exchange.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PASSWORD } from "./support/exchange.mjs";
import { useWorld } from "./support/world";

interface Card {
  id: string;
  etag: string;
  props: { [name: string]: unknown };
}

interface Code {
  readCard(exchange: string, credentials: object, id: string): Promise<Card>;
  decide(exchange: string, credentials: object, card: Card, decision: string, reason?: string): Promise<void>;
}

const PAGE = new URL("../../docs/howto/show-handoffs-in-your-app.md", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "tasuki-howto-"));
const world = useWorld();
/** The server itself, because only a browser says that a request comes from its own site. */
const exchange = () => world.exchange.url ?? "";
let code: Code;
let credentials: object;

beforeAll(async () => {
  const [, block = ""] = readFileSync(PAGE, "utf8").split("```js\n");
  const file = join(folder, "code.mjs");
  writeFileSync(file, block.split("```")[0] ?? "");
  code = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const response = await fetch(`${exchange()}/v1/sessions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: exchange() },
    body: JSON.stringify({ name: "ana", password: PASSWORD }),
  });
  credentials = { Cookie: response.headers.get("set-cookie")?.split(";")[0], Origin: exchange() };
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a handoff fills the card, and each decision takes effect", async () => {
  const payload = [{ label: "Cost", value: "$0.45" }, { label: "Pages", value: 42 }];
  for (const [decision, state] of [["accept", "offered"], ["intercept", "claimed"], ["cancel", "cancelled"]] as const) {
    const id = world.held(`Show and ${decision}`, { payload, summary: "So far.", next_request: "Go on." });
    const card = await code.readCard(exchange(), credentials, id);
    expect(card.props).toEqual({
      sourceAgent: "planner",
      destinationAgent: "codex-2",
      goal: `Show and ${decision}`,
      summary: "So far.",
      payload: [{ label: "Cost", value: "$0.45" }, { label: "Pages", value: "42" }],
      nextRequest: "Go on.",
      canIntercept: true,
    });
    await code.decide(exchange(), credentials, card, decision, "as the page shows");
    expect(world.stateOf(id)).toBe(state);
    expect((await code.readCard(exchange(), credentials, id)).props.canIntercept).toBe(false);
  }
});

test("a decision about another version is refused", async () => {
  const id = world.held("Changed meanwhile");
  const card = await code.readCard(exchange(), credentials, id);
  await expect(code.decide(exchange(), credentials, { ...card, etag: '"other"' }, "accept")).rejects.toThrow("It changed while you read");
  await expect(code.readCard(exchange(), {}, id)).rejects.toThrow();
  expect(world.stateOf(id)).toBe("held");
});
