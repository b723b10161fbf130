// What failed: rejections and dead letters are in the inbox until they are acknowledged.
import { expect, test } from "vitest";
import { base } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const world = useWorld();

test("a rejection and a dead letter say why, and leave when they are acknowledged", async () => {
  const rejected = world.exchange.submit(base("cache-3", "ana", "codex-2", "Drop the cache tables", { can_intercept: true }));
  world.exchange.decide("ben", "reject", rejected, "--message", "Ask again on Friday");
  const dead = world.exchange.submit(base("pricing-7", "scraper", "synthesizer", "Extract pricing tiers"));
  world.exchange.cli("synthesizer", "decline", dead, "--message", "The pages need a session");
  const { page, context, problems } = await world.person("ana");
  const row = (text: string) => page.locator(".item", { hasText: text });
  await row("Drop the cache tables").getByText("by ben: “Ask again on Friday”").waitFor();
  await row("Extract pricing tiers").getByText(/declined by synthesizer/).waitFor();
  await page.getByRole("link", { name: "Drop the cache tables" }).click();
  await page.locator(".note.refused", { hasText: "Rejected by ben" }).waitFor();
  await page.getByText("Leaves your inbox. The handoff stays as it is.").waitFor();
  await page.getByRole("button", { name: /^Acknowledge/ }).click();
  await page.getByText("Acknowledged.").waitFor();
  await page.getByRole("link", { name: "Extract pricing tiers" }).click();
  await page.locator(".note.refused", { hasText: "No receiver is left." }).waitFor();
  await page.getByRole("button", { name: /^Redrive/ }).waitFor();
  await page.getByRole("button", { name: /^Acknowledge/ }).click();
  await page.getByText("Acknowledged.").last().waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  expect(world.stateOf(rejected)).toBe("rejected");
  expect(world.stateOf(dead)).toBe("dead");
  expect(problems).toEqual([]);
  await context.close();
});
