// Every decision end to end, by mouse and by keyboard, against a real server.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, signedIn } from "./support/browser.mjs";
import { Exchange, PASSWORD } from "./support/exchange.mjs";
import { serveSite } from "./support/site.mjs";
import { base, everyKind, hostile, people, release } from "./support/stories.mjs";

let browser: Browser;
let exchange: Exchange;
let site: Awaited<ReturnType<typeof serveSite>>;
let ids: Record<string, string>;

beforeAll(async () => {
  exchange = new Exchange();
  people(exchange);
  ids = everyKind(exchange);
  await exchange.serve();
  site = await serveSite(() => exchange.url);
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await exchange?.remove();
});

let count = 0;
const held = (goal: string, more: Record<string, unknown> = {}) =>
  exchange.submit(base(`task-${++count}`, "planner", "codex-2", goal, { can_intercept: true, ...more }));
const stateOf = (id: string) => JSON.parse(exchange.cli("ana", "show", id, "--json")).handoff.state as string;
const card = async (page: Page, id: string) => {
  await page.goto(`/ui/p/default/h/${id}`);
  await page.locator(".man").first().waitFor();
};

test("a held handoff is seen and approved by mouse, with what was shown", async () => {
  const id = held("Approve me by mouse");
  const { page, context, problems } = await signedIn(browser, site, "ana");
  await page.getByRole("link", { name: "Approve me by mouse" }).click();
  await page.getByText("Offered to codex-2 at once.").waitFor();
  await page.waitForTimeout(1200);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.getByText(/^Approved: task-\d+, offered to codex-2/).waitFor();
  expect(stateOf(id)).toBe("offered");
  const decisions = exchange.cli("ana", "decisions", "export").trim().split("\n");
  const last = JSON.parse(decisions.at(-1) ?? "{}");
  expect(last).toMatchObject({ handoff: id, decision: "accept", person: "ana", revision: 1 });
  expect(last.seconds).toBeGreaterThanOrEqual(1);
  expect(problems).toEqual([]);
  await context.close();
});

test("by keyboard alone: find, approve, reject with a reason", async () => {
  const [first, second] = [held("Keyboard approves this"), held("Keyboard rejects this")];
  const { page, context } = await signedIn(browser, site, "ana");
  await page.locator(".item.current").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Tab");
  await page.locator(".goal", { hasText: "Keyboard approves this" }).waitFor();
  await page.keyboard.press("a");
  await page.getByText(/^Approved: /).waitFor();
  await page.locator(".goal", { hasText: "Keyboard rejects this" }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("Wait for Thursday");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Rejected: /).waitFor();
  expect(stateOf(first)).toBe("offered");
  expect(stateOf(second)).toBe("rejected");
  await context.close();
});

test("j, k and enter move through the list, and a dialog lists the keys", async () => {
  const { page, context } = await signedIn(browser, site, "ana");
  await page.locator(".item.current").waitFor();
  const current = () => page.locator(".item.current").getAttribute("data-id");
  const first = await current();
  await page.keyboard.press("j");
  await expect.poll(current).not.toBe(first);
  const second = await current();
  await page.keyboard.press("k");
  await expect.poll(current).toBe(first);
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await expect.poll(current).toBe(second);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/h/${second}`);
  await page.keyboard.press("u");
  await page.waitForURL("**/inbox*");
  await context.close();
});

test("single keys can be switched off", async () => {
  const id = held("Keys are off");
  const { page, context } = await signedIn(browser, site, "ana");
  await page.goto("/ui/p/default/settings");
  await page.getByLabel(/Single-key shortcuts/).uncheck();
  await card(page, id);
  await page.keyboard.press("a");
  await page.waitForTimeout(500);
  expect(stateOf(id)).toBe("held");
  await context.close();
});

test("two people race: one wins, the other is told and keeps the text", async () => {
  const id = held("Race for this");
  const [one, two] = [await signedIn(browser, site, "ana"), await signedIn(browser, site, "ben")];
  await card(one.page, id);
  await card(two.page, id);
  await two.page.keyboard.press("r");
  await two.page.getByLabel(/Reason/).fill("Too early for me");
  await one.page.getByRole("button", { name: /^Approve/ }).click();
  await two.page.getByText("Reject is no longer possible.").waitFor({ timeout: 3000 });
  await two.page.getByText("ana decided meanwhile.").waitFor();
  await two.page.getByText("Your text: “Too early for me”").waitFor();
  expect(stateOf(id)).toBe("offered");
  // Both at the same moment: exactly one decision is recorded.
  const both = held("Race at once");
  await card(one.page, both);
  await card(two.page, both);
  await Promise.all([one, two].map(({ page }) => page.getByRole("button", { name: /^Approve/ }).click()));
  await expect.poll(() => stateOf(both)).toBe("offered");
  const events = exchange.cli("ana", "events", "--json").split("\n").filter((line) => line.includes(both));
  expect(events.filter((line) => line.includes('"handoff.accepted"'))).toHaveLength(1);
  await Promise.all([one.context.close(), two.context.close()]);
});

test("a change by the command line is visible within a second", async () => {
  const id = held("Cancelled elsewhere");
  const { page, context } = await signedIn(browser, site, "ana");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Cancelled elsewhere" }).click();
  await page.locator(".st.box", { hasText: "Held" }).waitFor();
  exchange.cli("planner", "cancel", id);
  let from = Date.now();
  await page.locator(".st.box", { hasText: "Cancelled" }).waitFor();
  expect(Date.now() - from).toBeLessThan(1000);
  held("Submitted while you look", { expires_at: new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, "Z") });
  from = Date.now();
  await page.getByRole("button", { name: /1 new/ }).waitFor();
  expect(Date.now() - from).toBeLessThan(1000);
  await page.keyboard.press("L");
  await page.getByRole("link", { name: "Submitted while you look" }).waitFor();
  await context.close();
});

test("a newer revision shows the difference and asks again", async () => {
  const id = held("Read one revision");
  const { page, context } = await signedIn(browser, site, "ana");
  await card(page, id);
  const task = JSON.parse(exchange.cli("ana", "show", id, "--json")).handoff.task as string;
  const packet = base(task, "planner", "codex-2", "Read another revision", { can_intercept: true });
  exchange.cliWith("planner", packet, "revise", id);
  await page.getByText("Revision 2 came while you read.").waitFor();
  await page.locator(".code ins", { hasText: "another" }).waitFor();
  await page.getByRole("button", { name: /^Approve r2/ }).click();
  await page.getByText(/^Approved: /).waitFor();
  expect(stateOf(id)).toBe("offered");
  await context.close();
});

test("an old link says who decided", async () => {
  const id = held("Decided long ago");
  exchange.cli("ben", "reject", id, "--message", "Not this quarter");
  const { page, context } = await signedIn(browser, site, "ana");
  await card(page, id);
  await page.locator(".note", { hasText: "Rejected by ben" }).waitFor();
  await page.getByText("Not this quarter").waitFor();
  await page.getByText("There is nothing for you to decide here.").waitFor();
  await context.close();
});

test("an edit shows the difference before it is saved", async () => {
  const id = held("Edit my goal", { payload: [{ label: "Records", value: 12 }] });
  const { page, context } = await signedIn(browser, site, "ana");
  await card(page, id);
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Goal" }).fill("Edited goal");
  await page.getByLabel("Value of Records").fill("13");
  await page.getByRole("button", { name: "Review the difference" }).click();
  await page.locator(".code .add", { hasText: "Edited goal" }).waitFor();
  await page.getByText("Saving makes revision 2.").waitFor();
  await page.getByRole("button", { name: "Save as r2" }).click();
  await page.getByText(/^Edited: /).waitFor();
  const { packet, handoff } = JSON.parse(exchange.cli("ana", "show", id, "--json"));
  expect(handoff.revision).toBe(2);
  expect(packet.payload[0].value).toBe(13);
  await context.close();
});

test("an action is approved as exactly the bytes that were edited", async () => {
  const { page, context } = await signedIn(browser, site, "ana");
  await card(page, ids.action ?? "");
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Command" }).fill("helm upgrade checkout-api ./chart -n prod --atomic");
  await page.getByRole("button", { name: "Review the difference" }).click();
  await page.getByText("Saving approves the changed action.").waitFor();
  await page.getByRole("button", { name: "Save and approve this action" }).click();
  await page.getByText(/^Edited: .*claimed by codex-2/).waitFor();
  expect(stateOf(ids.action ?? "")).toBe("claimed");
  await context.close();
});

test("a sign-off asks for what must be opened, its meaning and the password", async () => {
  const id = exchange.submit({ ...release(), task_id: "sign-1" });
  const { page, context } = await signedIn(browser, site, "ana");
  await card(page, id);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.getByText(/^Approved: .*still held/).waitFor();
  await page.keyboard.press("s");
  await page.getByText("The gate asks that you open the evidence").waitFor();
  await page.getByRole("button", { name: "Open the evidence" }).click();
  await page.getByText("report:safety-case-7").waitFor();
  await page.keyboard.press("s");
  await page.getByLabel("approved for clinical use").check();
  await page.getByLabel(/Your password/).fill("wrong password");
  await page.getByRole("button", { name: /^Sign off r1/ }).click();
  await page.locator(".note.refused").waitFor();
  await page.getByLabel(/Your password/).fill(PASSWORD);
  await page.getByRole("button", { name: /^Sign off r1/ }).click();
  await page.getByText(/^Signed off: /).waitFor();
  expect(stateOf(id)).toBe("held");
  await context.close();
});

test("the other decisions: claim, answer, verdict, release, return, reroute, intercept, cancel, redrive", async () => {
  const { page, context, problems } = await signedIn(browser, site, "ana");
  const open = (id: string | undefined) => card(page, id ?? "");
  const done = (text: RegExp) => page.getByText(text).waitFor();

  await open(ids.offer);
  await page.keyboard.press("a");
  await done(/^Claimed: notes-1.0/);
  await page.getByRole("button", { name: /^Return/ }).click();
  await page.getByLabel("What came of it").fill("The wording is right.");
  await page.getByRole("button", { name: "Return", exact: true }).click();
  await done(/^Returned: notes-1.0/);

  await open(ids.question);
  await page.keyboard.press("a");
  await page.getByLabel("Your answer").fill("contoso-eu");
  await page.keyboard.press("Control+Enter");
  await done(/^Answered: tenant-7/);

  await open(ids.returned);
  await page.getByRole("button", { name: /^Fail/ }).click();
  await page.getByLabel(/What is missing/).fill("axe was not run");
  await page.getByRole("button", { name: "Fail", exact: true }).click();
  await done(/^Sent back for rework: validator-12/);

  await open(ids.mine);
  await page.getByRole("button", { name: /^Release/ }).click();
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await done(/^Released: invoice-export/);

  const moved = held("Goes to another");
  await open(moved);
  await page.keyboard.press("w");
  await page.getByLabel(/New receiver/).selectOption("synthesizer");
  await page.getByRole("button", { name: "Reroute", exact: true }).click();
  await done(/^Rerouted: /);
  await page.getByText(/no longer for codex-2|synthesizer/).first().waitFor();

  const taken = held("Taken by a person");
  await open(taken);
  await page.keyboard.press("i");
  await done(/^Intercepted: .*claimed by ana/);
  await page.keyboard.press("Shift+C");
  await page.getByLabel(/Reason/).fill("No longer needed");
  await page.getByRole("button", { name: "Cancel handoff", exact: true }).click();
  await done(/^Cancelled: /);

  await open(ids.dead);
  await page.keyboard.press("a");
  await done(/^Redriven: pricing-7/);
  expect(problems).toEqual([]);
  await context.close();
});

test("hostile text is shown as text", async () => {
  const id = exchange.submit(hostile());
  const { page, context, problems } = await signedIn(browser, site, "ana");
  await card(page, id);
  await page.locator(".goal", { hasText: "<script>window.pwned=1</script>" }).waitFor();
  expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
  expect(await page.locator(".man a[href*=evil]").count()).toBe(0);
  expect(await page.locator(".man img").count()).toBe(0);
  for (const code of ["U+2066", "U+200F", "U+0007", "U+200B", "U+00A0", "U+2067"]) {
    await page.locator(".tok", { hasText: code }).first().waitFor();
  }
  await page.getByRole("button", { name: /Show all .* characters/ }).click();
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(width).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});
