// What failed: rejections and dead letters are in the inbox until they are acknowledged.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { base } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const world = useWorld();

interface Failed {
  kind: string;
  n: number;
  since: string;
  cause?: string;
  by: string;
  reason: string;
  handoff: object;
}

/** Puts failures into the inbox, and takes out what the page acknowledges. */
async function withFailures(page: Page, failures: Failed[]): Promise<unknown[]> {
  const acknowledged: unknown[] = [];
  await page.route(/\/v1\/inbox(\?|$)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), failures: failures.slice(acknowledged.length) } });
  });
  await page.route("**/v1/inbox/ack", (route) => {
    acknowledged.push(route.request().postDataJSON());
    return route.fulfill({ json: { acknowledged: 1 } });
  });
  return acknowledged;
}

test("a rejection and a dead letter say why, and leave when they are acknowledged", async () => {
  const rejected = world.exchange.submit(base("cache-3", "ana", "codex-2", "Drop the cache tables", { can_intercept: true }));
  world.exchange.cli("ben", "reject", rejected, "--message", "Ask again on Friday");
  const dead = world.exchange.submit(base("pricing-7", "scraper", "synthesizer", "Extract pricing tiers"));
  world.exchange.cli("synthesizer", "decline", dead, "--message", "The pages need a session");
  const since = new Date().toISOString();
  const { page, context, problems } = await world.person("ana");
  const acknowledged = await withFailures(page, [
    { kind: "rejected", n: 41, since, by: "ben", reason: "Ask again on Friday", handoff: world.show(rejected).handoff },
    { kind: "dead", n: 44, since, cause: "declined", by: "synthesizer", reason: "The pages need a session", handoff: world.show(dead).handoff },
  ]);
  await page.reload();
  const row = (text: string) => page.locator(".item", { hasText: text });
  await row("Drop the cache tables").getByText("by ben: “Ask again on Friday”").waitFor();
  await row("Extract pricing tiers").getByText("declined by synthesizer: “The pages need a session”").waitFor();
  await page.getByRole("link", { name: "Drop the cache tables" }).click();
  await page.locator(".note.refused", { hasText: "Rejected by ben" }).waitFor();
  await page.getByText("Leaves your inbox. The handoff stays as it is.").waitFor();
  await page.getByRole("button", { name: /^Acknowledge/ }).click();
  await page.getByText("Acknowledged.").waitFor();
  await page.getByRole("link", { name: "Extract pricing tiers" }).click();
  await page.locator(".note.refused", { hasText: "No receiver is left." }).waitFor();
  await page.getByRole("button", { name: /^Redrive/ }).waitFor();
  await page.keyboard.press("x");
  await expect.poll(() => acknowledged).toEqual([
    { failures: [{ handoff: rejected, n: 41 }] },
    { failures: [{ handoff: dead, n: 44 }] },
  ]);
  expect(problems).toEqual([]);
  await context.close();
});
