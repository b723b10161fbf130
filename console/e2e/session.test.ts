// Signing in, by password and by the link that the server prints, and how a session ends.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { launch, openWindow, signedIn } from "./support/browser.mjs";
import { Exchange, PASSWORD } from "./support/exchange.mjs";
import { serveSite } from "./support/site.mjs";
import { base, people } from "./support/stories.mjs";

let browser: Browser;
let exchange: Exchange;
let site: Awaited<ReturnType<typeof serveSite>>;

beforeAll(async () => {
  exchange = new Exchange();
  people(exchange);
  await exchange.serve();
  site = await serveSite(() => exchange.url);
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await exchange?.remove();
});

test("a wrong password is refused in words, the right one opens what was asked for", async () => {
  const id = exchange.submit(base("deep-1", "planner", "codex-2", "Open a deep link", { can_intercept: true }));
  const { page, problems, context } = await openWindow(browser, site);
  await page.goto(`/ui/p/default/h/${id}`);
  await page.waitForURL(/\/sign-in\?next=/);
  await page.fill("#name", "ana");
  await page.fill("#password", "wrong");
  await page.keyboard.press("Enter");
  await page.getByText("the name or the password is wrong").waitFor();
  await page.fill("#password", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/h/${id}`);
  await page.getByText("Open a deep link").first().waitFor();
  expect(problems.filter((text) => !text.includes("401"))).toEqual([]);
  await context.close();
});

test("opening the printed link redeems nothing; its button does, once", async () => {
  const scanner = await fetch(`${site.url}/ui/welcome?t=${exchange.code}`);
  expect(scanner.status).toBe(200);
  const { page, context } = await openWindow(browser, site);
  await page.goto(`/ui/welcome?t=${exchange.code}`);
  await page.reload();
  await page.getByRole("button", { name: "Sign in and open the inbox" }).click();
  await page.waitForURL("**/inbox*");
  await context.close();
  const second = await openWindow(browser, site);
  await second.page.goto(`/ui/welcome?t=${exchange.code}`);
  await second.page.getByRole("button", { name: "Sign in and open the inbox" }).click();
  await second.page.getByText("this link was used or is too old").waitFor();
  await second.context.close();
});

test("a session that ends asks again over the page and keeps what was typed", async () => {
  exchange.submit(base("typed-1", "planner", "codex-2", "Type a reason", { can_intercept: true }));
  const { page, context } = await signedIn(browser, site, "ana");
  await page.getByRole("link", { name: "Type a reason" }).click();
  await page.getByRole("button", { name: /^Reject/ }).click();
  await page.getByLabel(/Reason/).fill("Not in this window");
  await context.clearCookies();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("Your session has ended").waitFor();
  await page.fill("dialog #password", PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Your session has ended").waitFor({ state: "detached" });
  expect(await page.getByLabel(/Reason/).inputValue()).toBe("Not in this window");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("Rejected: typed-1").waitFor();
  await context.close();
});

test("signing out ends the session", async () => {
  const { page, context } = await signedIn(browser, site, "ben");
  await page.getByRole("button", { name: "Account of ben" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goto("/ui/");
  await page.waitForURL("**/sign-in");
  await context.close();
});
