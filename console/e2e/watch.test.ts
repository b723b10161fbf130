// Live and Overview: what passes by, and who works on what.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { base, everyKind } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const world = useWorld((exchange) => everyKind(exchange));

async function openLive(page: Page, search = ""): Promise<void> {
  await page.goto(`/ui/p/default/live${search}`);
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  await page.locator(".lc .hash").first().waitFor();
}

const pass = (task: string, goal: string) => world.exchange.submit(base(task, "planner", "codex-2", goal));

test("cards pass by as they come, each with its log entry and a hash that the browser computed", async () => {
  const { page, context, problems } = await world.person("ana");
  await openLive(page);
  pass("pass-1", "The first that passes by");
  const card = page.getByRole("article", { name: /The first that passes by/ });
  await card.waitFor();
  await card.locator(".hash code").waitFor();
  const number = Number((await card.locator(".lf .disc").innerText()).replace("#", ""));
  const shown = (await card.locator(".hash code").innerText()).trim();
  await page.getByText(/entries recomputed in this browser/).waitFor();
  await card.locator(".lf .disc").click();
  await page.getByRole("heading", { name: `Log entry #${number}` }).waitFor();
  const hash = await page.locator("dialog dd code").first().innerText();
  const [start = "", end = ""] = shown.split("…");
  expect(hash).toMatch(new RegExp(`^sha256:${start}[0-9a-f]+${end}$`));
  expect(problems).toEqual([]);
  await context.close();
});

test("a paused list does not move: what is new waits behind a pill", async () => {
  const { page, context } = await world.person("ana");
  await openLive(page);
  await page.keyboard.press("p");
  await page.getByRole("button", { name: /Resume/ }).waitFor();
  const before = await page.locator(".lc").count();
  pass("pass-2", "Came while paused");
  pass("pass-3", "Came while paused too");
  await page.getByRole("button", { name: "2 new" }).waitFor();
  expect(await page.locator(".lc").count()).toBe(before);
  await page.keyboard.press("l");
  await page.getByRole("article", { name: /Came while paused too/ }).waitFor();
  expect(await page.getByRole("button", { name: /Pause/ }).count()).toBe(1);
  await context.close();
});

test("a card under the pointer does not move either", async () => {
  const { page, context } = await world.person("ana");
  await openLive(page);
  await page.locator(".lc").first().hover();
  pass("pass-4", "Came while a card was aimed at");
  await page.getByRole("button", { name: "1 new" }).waitFor();
  await page.getByRole("button", { name: "1 new" }).click();
  await page.getByRole("article", { name: /Came while a card was aimed at/ }).waitFor();
  await context.close();
});

test("filters are in the address, and narrow the cards", async () => {
  const { page, context } = await world.person("ana");
  await openLive(page);
  await page.getByLabel("State").selectOption("held");
  await page.waitForURL(/state=held/);
  const states = async () => [...new Set((await page.locator(".lc .sr2 .st").allInnerTexts()).map((text) => text.replace(", needs you", "")))];
  await expect.poll(states).toEqual(["Held"]);
  await page.reload();
  await expect.poll(states).toEqual(["Held"]);
  await page.getByLabel("Task").fill("refund");
  await expect.poll(() => page.locator(".lc").count()).toBe(1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => page.locator(".lc").count()).toBeGreaterThan(5);
  await context.close();
});

test("a tampered leaf is broken on the live page as well", async () => {
  const { page, context } = await world.person("ana");
  await page.route("**/v1/log/leaves*", async (route) => {
    const response = await route.fetch();
    const lines = (await response.text()).split("\n").map((line) => (line.includes('"handoff.declined"') ? line.replace('"auth":"local"', '"auth":"token"') : line));
    await route.fulfill({ response, body: lines.join("\n") });
  });
  await openLive(page);
  await page.getByText(/^broken at #\d+$/).waitFor();
  await page.locator(".lc .mark.no", { hasText: "broken" }).waitFor();
  await context.close();
});

test("one screen says who works on what, what waits, for whom and for how long", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("v");
  const parties = page.getByRole("region", { name: /^Parties/ });
  await parties.getByText("Roll out checkout-api 2.4.1 to production").waitFor();
  const codex = parties.locator(".prow", { hasText: "codex-2" });
  expect(await codex.innerText()).toMatch(/Roll out checkout-api[\s\S]*Held \d+ (s|min)/);
  expect(await parties.locator(".prow", { hasText: "ana" }).first().innerText()).toMatch(/waits?, oldest \d+/);
  expect(await parties.locator(".prow", { hasText: "any person" }).innerText()).toMatch(/Held \d+ (s|min)/);
  const waiting = page.getByRole("region", { name: /^Waiting/ });
  expect(await waiting.getByRole("row", { name: /Refund invoice 4711/ }).innerText()).toMatch(/Held[\s\S]*role:finance[\s\S]*\d+ (s|min)/);
  const edges = page.getByRole("region", { name: /^Edges/ });
  expect(await edges.getByRole("row", { name: /ana.*codex-2/ }).innerText()).toMatch(/\d+ s\s+\d+ s\s+\d/);
  const held = page.locator(".mini", { hasText: "held for a person" });
  expect(Number(await held.locator(".big").innerText())).toBeGreaterThanOrEqual(5);
  expect(Number(await page.locator(".mini", { hasText: "dead letters" }).locator(".big").innerText())).toBe(1);

  // The table has the same numbers as the chart.
  await page.getByText("The numbers of the charts").click();
  const numbers = await page.getByRole("table", { name: "Events by hour" }).locator("tbody tr td:nth-child(3)").allInnerTexts();
  expect(numbers.map(Number).reduce((sum, one) => sum + one, 0)).toBe(Number(await held.locator(".big").innerText()));
  await waiting.getByRole("link", { name: /Refund invoice 4711/ }).click();
  await page.getByRole("heading", { name: "refund-4711", level: 1 }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
