// The page itself: deep links, reloads, the keyboard, projects and notifications.
import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { PASSWORD } from "./support/exchange.mjs";
import { base } from "./support/stories.mjs";
import { openCard, useWorld } from "./support/world";

const world = useWorld();

/** Counts the acceptances of a handoff in the log. */
const acceptances = (id: string) =>
  world.exchange.cli("ana", "events", "--json").split("\n").filter((line) => line.includes(id) && line.includes('"handoff.accepted"')).length;

test("a link shows the same list and card to another person", async () => {
  const id = world.held("Linked with a filter");
  world.held("Left out by the filter");
  const { page, context } = await world.person("ben");
  await page.goto(`/ui/p/default/inbox?q=linked&risk=low&sort=risk&h=${id}`);
  await page.locator(".hp-goal", { hasText: "Linked with a filter" }).waitFor();
  expect(await page.locator(".item").count()).toBe(1);
  await page.goto(`/ui/p/default/handoffs/${id}`);
  await page.waitForURL(`**/h/${id}`);
  await page.goto(`/ui/p/default/h/${id.slice(-8)}x`);
  await page.getByText(/There is no handoff/).waitFor();
  await context.close();
});

test("a reload in the middle of a decision loses it or keeps it, never doubles it", async () => {
  const { page, context } = await world.person("ana");
  const lost = world.held("Reloaded before it was sent");
  await openCard(page, lost);
  await page.route("**/decisions", () => undefined, { times: 1 });
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.reload();
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText(/^Accepted: /).waitFor();
  expect(acceptances(lost)).toBe(1);

  const kept = world.held("Reloaded before the answer");
  await openCard(page, kept);
  const sent = new Promise<void>((resolve) => {
    // The exchange gets the decision, the page never gets the answer.
    const send = async (route: Route) => {
      await route.fetch({ headers: { ...route.request().headers(), "sec-fetch-site": "same-origin" } });
      resolve();
    };
    void page.route("**/decisions", send, { times: 1 });
  });
  await page.getByRole("button", { name: /^Accept/ }).click();
  await sent;
  await page.reload();
  await page.locator(".note", { hasText: "Accepted by you" }).waitFor();
  expect(await page.getByRole("button", { name: /^Accept/ }).count()).toBe(0);
  expect(acceptances(kept)).toBe(1);
  await context.close();
});

test("the keyboard alone signs in, skips to the content, edits and accepts", async () => {
  const id = world.held("Edited by keys");
  const { page, context } = await world.stranger();
  const { keyboard } = page;
  await page.goto(`/ui/p/default/h/${id}`);
  await page.getByLabel("Name").waitFor();
  await keyboard.type("ana");
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await page.locator(".man-f").waitFor();
  await keyboard.press("e");
  await page.getByRole("textbox", { name: "Goal" }).waitFor();
  await page.getByRole("textbox", { name: "Goal" }).press("End");
  await keyboard.type(" and saved");
  for (let presses = 0; presses < 40; presses += 1) {
    await keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Review the difference") break;
  }
  await keyboard.press("Enter");
  await page.locator("dialog .code").waitFor();
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Save as r2") break;
    await keyboard.press("Tab");
  }
  await keyboard.press("Enter");
  await page.getByText(/^Edited: /).waitFor();
  // Every stop of the tab key shows where it is.
  for (let presses = 0; presses < 12; presses += 1) {
    await keyboard.press("Tab");
    const outline = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return "auto";
      const row = focused.closest(".item");
      return [focused, row].map((one) => (one ? getComputedStyle(one).outlineStyle : "none")).find((style) => style !== "none");
    });
    expect(outline).toBeDefined();
  }
  expect(world.show(id).handoff.revision).toBe(2);
  await context.close();
});

test("this is my device asks for a session that lasts", async () => {
  const { page, context } = await world.stranger();
  await page.goto("/ui/sign-in");
  await page.getByLabel("Name").fill("ana");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel(/This is my device/).check();
  const request = page.waitForRequest("**/v1/sessions");
  await page.keyboard.press("Enter");
  expect((await request).postDataJSON()).toEqual({ name: "ana", password: PASSWORD, remember: true });
  await context.close();
});

test("the projects of a person can be switched, and one project shows no switch", async () => {
  const { exchange } = world;
  world.held("Waits in the first project");
  const alone = await world.person("ana");
  await alone.page.locator(".proj", { hasText: "default" }).waitFor();
  expect(await alone.page.getByRole("button", { name: /Project default/ }).count()).toBe(0);
  await alone.context.close();
  exchange.project("staging", ["ana"], ["planner", "codex-2"]);
  const staged = base("staged-1", "planner", "codex-2", "Waits in staging", { can_intercept: true });
  const id = exchange.submit(staged, "--project", "staging");
  const { page, context, problems } = await world.person("ana");
  await page.getByRole("link", { name: "Waits in the first project" }).waitFor();
  await page.getByRole("button", { name: /Project default/ }).click();
  await page.getByRole("link", { name: "staging" }).click();
  await page.waitForURL("**/p/staging/inbox");
  await page.getByRole("link", { name: "Waits in staging" }).waitFor();
  expect(await page.locator(".item").count()).toBe(1);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText(/^Accepted: staged-1, offered to codex-2/).waitFor();
  expect(JSON.parse(exchange.cli("ana", "show", id, "--json", "--project", "staging")).handoff.state).toBe("offered");
  expect(problems).toEqual([]);
  await context.close();
});

test("notifications are off until they are switched on, and come while the console is in the background", async () => {
  const { page, context } = await world.person("ana");
  await page.addInitScript(() => {
    const shown: { title: string; body: string }[] = [];
    class Recorded {
      static permission = "default";
      static async requestPermission() {
        return (Recorded.permission = "granted");
      }
      constructor(title: string, options: { body: string }) {
        shown.push({ title, body: options.body });
      }
    }
    Object.assign(window, { Notification: Recorded, shown, isHidden: false });
    Object.defineProperty(document, "visibilityState", {
      get: () => ((window as { isHidden?: boolean }).isHidden ? "hidden" : "visible"),
    });
  });
  const shown = () => page.evaluate(() => (window as unknown as { shown: { title: string; body: string }[] }).shown);
  await page.goto("/ui/p/default/settings");
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  await page.evaluate(() => Object.assign(window, { isHidden: true }));
  const count = page.locator(".side b");
  const before = Number(await count.textContent());
  world.held("Nobody asked to be told");
  await expect.poll(async () => Number(await count.textContent())).toBe(before + 1);
  expect(await shown()).toEqual([]);
  await page.getByLabel(/Tell me in this browser/).click();
  world.held("Tell me about this");
  await expect.poll(shown).toEqual([{ title: "Hold from planner", body: "Tell me about this" }]);
  await context.close();
});
