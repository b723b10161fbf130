// The event stream, and the server's absence.
import { expect, test } from "vitest";
import { duration, shortest } from "./support/shortest";
import { useWorld } from "./support/world";

const world = useWorld();

test("an empty inbox says when it was checked, and fills by itself", async () => {
  const { page, context } = await world.person("ana");
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  await page.getByText(/Checked at \d\d:\d\d:\d\d against log entry/).waitFor();
  let id: string | undefined;
  const time = await shortest(1000, async () => {
    if (id) world.exchange.cli("planner", "cancel", id);
    await page.goto("/ui/p/default/inbox");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    await page.locator(".conn", { hasText: "Live" }).waitFor();
    id = world.held("The first handoff");
    return duration(() => page.getByRole("link", { name: "The first handoff" }).waitFor());
  });
  expect(time).toBeLessThan(1000);
  await context.close();
});

test("the tabs of a browser share one stream, and another tab takes it over", async () => {
  const { page, context } = await world.person("ana");
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  let streams = 0;
  context.on("request", (request) => {
    if (request.url().endsWith("/v1/events")) streams += 1;
  });
  const tabs = [await context.newPage(), await context.newPage()];
  for (const tab of tabs) {
    await tab.goto("/ui/p/default/inbox");
    await tab.locator(".conn", { hasText: "Live" }).waitFor();
  }
  expect(streams).toBe(0);
  await page.close();
  await expect.poll(() => streams).toBe(1);
  world.held("Seen by both tabs");
  for (const tab of tabs) await tab.getByRole("link", { name: "Seen by both tabs" }).waitFor();
  await context.close();
});

test("a restart of the server loses nothing", async () => {
  const { page, context } = await world.person("ana");
  await page.getByRole("link", { name: "The first handoff" }).waitFor();
  await page.locator(".man-f").waitFor();
  await world.exchange.stop();
  await page.getByText(/Reconnecting, data as of/).waitFor();
  await page.getByText("Decisions are off until the revision is checked again.").waitFor();
  world.held("Submitted while it was away");
  await world.exchange.serve();
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  await page.getByRole("link", { name: "Submitted while it was away" }).waitFor();
  await context.close();
});

test("an inbox that cannot be read is not called empty", async () => {
  const { page, context } = await world.person("ana");
  await page.route("**/v1/inbox*", (route) => route.abort());
  await page.reload();
  await page.getByText("The exchange did not answer; this is not an empty inbox.").waitFor();
  await context.close();
});
