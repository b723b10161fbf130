// What operators look after: tokens, parties, subscriptions, dead letters and the halt; policy is read-only.
import { expect, test } from "vitest";
import { Hook } from "./support/hook.mjs";
import { base, edge } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const hook = new Hook();
const world = useWorld(async (exchange) => {
  exchange.allowWebhooks([await hook.open()]);
  exchange.cliWith("ana", edge("pricing", "0.3", "scraper", "synthesizer"), "contract", "publish");
  return {};
});

const at = (section: string) => `/ui/p/default/operate/${section}`;
const row = (text: string) => `tr:has(td:first-child:has-text("${text}"))`;

test("a token is shown once, works, and is refused after it was revoked", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.goto(at("tokens"));
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel(/^Party/).fill("codex-2");
  await page.getByLabel("Name", { exact: true }).fill("ci-codex");
  await page.getByLabel(/^read/).check();
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText("This is the only time that it is shown").waitFor();
  const text = (await page.locator(".sheet .cmd code").textContent()) ?? "";
  const ask = () => fetch(`${world.exchange.url}/v1/whoami`, { headers: { Authorization: `Bearer ${text}` } });
  expect(await (await ask()).json()).toMatchObject({ party: "codex-2", scopes: ["submit", "receive", "read"] });
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.locator(row("ci-codex")).getByText("submit receive read").waitFor();
  expect(await page.content()).not.toContain(text);
  await page.locator(row("ci-codex")).getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText("Requests with it are refused from now on").waitFor();
  await page.getByRole("button", { name: "Revoke the token", exact: true }).click();
  await page.getByText("Revoked the token ci-codex of codex-2.").waitFor();
  await expect.poll(() => page.locator(row("ci-codex")).count()).toBe(0);
  expect((await ask()).status).toBe(401);
  expect(problems).toEqual([]);
  await context.close();
});

test("a token that the exchange refuses says why, and the form stays filled", async () => {
  const { page, context } = await world.person("ana");
  await page.goto(at("tokens"));
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel(/^Party/).fill("nobody-known");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("TK-PARTY-UNKNOWN").waitFor();
  expect(await page.getByLabel(/^Party/).inputValue()).toBe("nobody-known");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog").count()).toBe(0);
  await context.close();
});

test("a party and a role are added, and members come and go", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.goto(at("parties"));
  await page.getByRole("button", { name: "Add party" }).click();
  await page.getByLabel(/^Name/).fill("painter");
  await page.getByRole("button", { name: "Add painter" }).click();
  await page.getByText("Added painter.").waitFor();
  await page.getByRole("button", { name: "Add party" }).click();
  await page.getByLabel("Kind").selectOption("role");
  await page.getByLabel(/^Name/).fill("designers");
  await page.getByRole("combobox", { name: "Members" }).fill("painter, ana");
  await page.getByRole("button", { name: "Add role:designers" }).click();
  await page.locator(row("role:designers")).getByText("painter, ana").waitFor();
  await page.getByRole("button", { name: "Change the members of role:designers" }).click();
  await page.getByRole("button", { name: "Remove painter" }).click();
  await page.getByText("Removed painter from role:designers.").waitFor();
  await page.getByLabel(/^New member/).fill("ben");
  await page.getByRole("button", { name: "Add ben" }).click();
  await page.getByText("Added ben to role:designers.").waitFor();
  await page.keyboard.press("Escape");
  const shown = JSON.parse(world.exchange.cli("ana", "party", "show", "role:designers", "--json"));
  expect(shown.members).toEqual(["ana", "ben"]);
  expect(problems).toEqual([]);
  await context.close();
});

test("a subscription is added, tested and replayed, and its log shows each attempt", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.goto(at("subscriptions"));
  await page.getByRole("button", { name: "Add subscription" }).click();
  await page.getByLabel(/^URL/).fill(`${world.exchange.webhooks[0]}/hooks`);
  await page.getByLabel("Events").fill("handoff.held");
  await page.getByRole("button", { name: "Add the subscription" }).click();
  await page.getByText("The receiver checks signatures with it").waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("button", { name: /^Send test/ }).click();
  await page.getByText(/^Test of .*: 200 after/).waitFor();
  world.held("Delivered to the webhook");
  await page.getByRole("button", { name: /^Replay event/ }).first().waitFor();
  const before = hook.received.length;
  hook.status = 503;
  await page.getByRole("button", { name: /^Replay event/ }).first().click();
  await page.getByText(/delivered again: 503/).waitFor();
  hook.status = 200;
  await page.getByRole("button", { name: /^Replay event/ }).first().click();
  await page.getByText(/delivered again: 200/).waitFor();
  const again = hook.received.slice(before);
  expect(again.length).toBe(2);
  expect(new Set(again).size).toBe(1);
  await page.getByRole("button", { name: /^Disable/ }).click();
  await page.getByRole("button", { name: /^Enable/ }).waitFor();
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.getByRole("button", { name: "Remove the subscription" }).click();
  await page.getByText(/No subscription/).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a dead letter is redriven, another is discarded with a reason", async () => {
  const die = (task: string, goal: string) => {
    const id = world.exchange.submit(base(task, "scraper", "hermes-worker-3", goal));
    world.exchange.cli("hermes-worker-3", "decline", id, "--message", "not mine");
    return id;
  };
  const [again, never] = [die("tiers-1", "Extract the pricing tiers"), die("tiers-2", "Extract the old tiers")];
  const { page, context, problems } = await world.person("ana");
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.getByRole("button", { name: "Redrive tiers-1" }).click();
  await page.getByText("Redriven: tiers-1, offered to hermes-worker-3.").waitFor();
  await page.getByRole("button", { name: "Discard tiers-2" }).click();
  await page.getByLabel(/^Reason/).fill("The prices are public now.");
  await page.getByRole("button", { name: "Discard tiers-2", exact: true }).last().click();
  await page.getByText("Discarded: tiers-2.").waitFor();
  await page.getByText(/No dead letter/).waitFor();
  expect([world.stateOf(again), world.stateOf(never)]).toEqual(["offered", "discarded"]);
  expect(problems).toEqual([]);
  await context.close();
});

test("a halt ends the claims, and lifting it needs a reason", async () => {
  const id = world.exchange.submit(base("halted-1", "planner", "codex-2", "Stopped by the halt"));
  world.exchange.cli("codex-2", "claim", id);
  const { page, context, problems } = await world.person("ana");
  await page.goto(at("contracts"));
  await page.getByRole("button", { name: "Halt…" }).click();
  await page.getByLabel("Reason").fill("Prices are wrong");
  await page.getByRole("button", { name: "Halt default" }).click();
  await page.getByText("The project is halted.").waitFor();
  await page.getByRole("button", { name: "Lift the halt…" }).click();
  await page.getByRole("button", { name: "Lift the halt", exact: true }).click();
  expect(await page.getByLabel(/^Reason/).evaluate((field: HTMLTextAreaElement) => field.validity.valueMissing)).toBe(true);
  await page.getByLabel(/^Reason/).fill("Prices are right again");
  await page.getByRole("button", { name: "Lift the halt", exact: true }).click();
  await page.getByText("Lifted the halt of default.").waitFor();
  await expect.poll(() => page.getByText("The project is halted.").count()).toBe(0);
  expect(world.stateOf(id)).toBe("offered");
  expect(problems).toEqual([]);
  await context.close();
});

test("contracts, gates and rules are read-only, with the command to copy", async () => {
  const { page, context, problems } = await world.person("ana", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(at("contracts"));
  await page.locator("aside b", { hasText: "correlation-to-investigation@1.2" }).waitFor();
  await page.getByText("hold below 70 %, go on at 80 %").waitFor();
  await page.getByRole("button", { name: "pricing@0.3" }).click();
  await page.locator("aside b", { hasText: "pricing@0.3" }).first().waitFor();
  await page.locator(row("pricing@0.3")).getByText("no fallback").waitFor();
  await page.getByRole("button", { name: /^Copy command: tasuki contract show pricing@0.3/ }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("tasuki contract show pricing@0.3");
  await page.getByRole("link", { name: "Gates" }).last().click();
  await page.locator(row("clinical-release@1.0")).getByText(/1 of clinical_safety_officer/).waitFor();
  await page.locator(row("money-movement")).getByText("words refund").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the doctor's findings are on every page, with the command that repairs", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.goto(at("doctor"));
  await page.getByText(/submitted = .* open$/).waitFor();
  expect(await page.getByRole("link", { name: /^doctor:/ }).count()).toBe(0);
  world.exchange.submit(base("ladder-1", "planner", "codex-2", "Has a rung without members", { fallback: [{ to: "role:oncall" }] }));
  world.exchange.cli("ana", "party", "add", "role:oncall", "--without", "ana", "--without", "ben");
  await page.reload();
  await page.getByText("rungs without a receiver are skipped: role:oncall").waitFor();
  await page.getByRole("button", { name: "Copy command: tasuki party add ROLE --member NAME" }).waitFor();
  await page.goto(at("tokens"));
  await page.getByRole("link", { name: "doctor: 1 warning" }).click();
  await page.waitForURL("**/operate/doctor");
  world.exchange.cli("ana", "party", "add", "role:oncall", "--member", "ana", "--member", "ben");
  expect(problems).toEqual([]);
  await context.close();
});

test("a person who is no operator reads, and has no verb of operators", async () => {
  const id = world.exchange.submit(base("tiers-3", "scraper", "hermes-worker-3", "Nobody wants this"));
  world.exchange.cli("hermes-worker-3", "decline", id, "--message", "not mine");
  const { page, context } = await world.person("ben");
  await page.goto(at("dead"));
  await page.getByRole("link", { name: "Nobody wants this" }).waitFor();
  expect(await page.getByRole("button", { name: /Redrive|Discard|Halt/ }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Tokens" }).count()).toBe(0);
  await page.goto(at("parties"));
  await page.locator(row("role:oncall")).waitFor();
  expect(await page.getByRole("button", { name: /Add party|Members/ }).count()).toBe(0);
  await page.goto(at("tokens"));
  await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
  await context.close();
});
