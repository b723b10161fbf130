// Signing in, by password and by the link that the server prints, and how a session ends.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Exchange, PASSWORD } from "./support/exchange.mjs";
import { duration, shortest } from "./support/shortest";
import { useWorld } from "./support/world";

const world = useWorld();

test("a wrong password is refused in words, the right one opens what was asked for", async () => {
  const id = world.held("Open a deep link");
  const { page, problems, context } = await world.stranger();
  await page.goto(`/ui/p/default/h/${id}`);
  await page.waitForURL(/\/sign-in\?next=/);
  await page.fill("#name", "ana");
  await page.fill("#password", "wrong");
  await page.keyboard.press("Enter");
  await page.getByText("wrong name or password").waitFor();
  await page.fill("#password", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/h/${id}`);
  await page.getByText("Open a deep link").first().waitFor();
  expect(problems.filter((text) => !text.includes("401"))).toEqual([]);
  await context.close();
});

test("fetching the printed link redeems nothing; opening it signs in, once", async () => {
  // Once a person has a password, a server prints no link.
  const exchange = new Exchange();
  await exchange.serve();
  const link = `${exchange.url}/ui/welcome?t=${exchange.code}`;
  expect((await fetch(link)).status).toBe(200);
  const { page, context } = await world.stranger();
  await page.goto(link);
  await page.waitForURL("**/inbox*");
  await context.close();
  const second = await world.stranger();
  await second.page.goto(link);
  await second.page.getByText("this link was already used or has expired").waitFor();
  await second.context.close();
  await exchange.remove();
});

test("a session that ends asks again over the page and keeps what was typed", async () => {
  world.held("Type a reason");
  const { page, context } = await world.person("ana");
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
  await page.getByText(/^Rejected: /).waitFor();
  await context.close();
});

test("signing out ends the session", async () => {
  const { page, context } = await world.person("ben");
  await page.getByRole("button", { name: "Account of ben" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goto("/ui/");
  await page.waitForURL("**/sign-in");
  await context.close();
});

test("the first load shows the inbox within a second", async () => {
  world.held("Shown at once");
  const { page, context } = await world.person("ana");
  const time = await shortest(1000, async () => {
    await page.goto("about:blank");
    return duration(async () => {
      await page.goto("/ui/p/default/inbox", { waitUntil: "commit" });
      await page.locator(".item").first().waitFor();
    });
  });
  expect(time).toBeLessThan(1000);
  await context.close();
});

test("the script of the first load has less than 200 kB compressed", () => {
  const folder = new URL("../dist/assets/", import.meta.url);
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const size = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0);
  expect(scripts.length).toBeGreaterThan(0);
  expect(size).toBeLessThan(200_000);
});
