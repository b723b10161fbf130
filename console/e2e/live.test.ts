// The event stream, the server's absence, and very long lists.
import { expect, test } from "vitest";
import { useWorld } from "./support/world";

const world = useWorld();

test("an empty inbox says when it was checked, and fills by itself", async () => {
  const { page, context } = await world.person("ana");
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  await page.getByText(/Checked at \d\d:\d\d:\d\d against log entry/).waitFor();
  world.held("The first handoff");
  const from = Date.now();
  await page.getByRole("link", { name: "The first handoff" }).waitFor();
  expect(Date.now() - from).toBeLessThan(1000);
  await context.close();
});

test("the tabs of a browser share one stream, and another tab takes it over", async () => {
  const { page, context } = await world.person("ana");
  await page.getByText("Live", { exact: true }).waitFor();
  let streams = 0;
  context.on("request", (request) => {
    if (request.url().endsWith("/v1/events")) streams += 1;
  });
  const tabs = [await context.newPage(), await context.newPage()];
  for (const tab of tabs) {
    await tab.goto("/ui/p/default/inbox");
    await tab.getByText("Live", { exact: true }).waitFor();
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
  await world.exchange.stop();
  await page.getByText(/Reconnecting, data as of/).waitFor();
  await page.getByText("Decisions are off until the revision is checked again.").waitFor();
  world.held("Submitted while it was away");
  await world.exchange.serve();
  await page.getByText("Live", { exact: true }).waitFor();
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

test("10,000 items scroll with every id once and in order", async () => {
  const { page, context } = await world.person("ana");
  const items = Array.from({ length: 10_000 }, (_, index) => ({
    id: `hof_${index.toString(16).padStart(32, "0")}`,
    task: `task-${index}`,
    state: "held",
    from: "planner",
    to: "codex-2",
    goal: `Goal number ${index}`,
    revision: 1,
    digest: `sha256:${"0".repeat(64)}`,
    risk: "low",
    held_for: ["asked"],
    attempt: 1,
    submitted_at: "2026-11-16T12:00:00Z",
    since: "2026-11-16T12:00:00Z",
  }));
  await page.route("**/v1/inbox*", (route) => {
    const at = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    const handoffs = items.slice(at, at + 500);
    const more = at + 500 < items.length;
    const body = { party: "ana", handoffs, as_of_n: 1, as_of: new Date().toISOString(), more };
    return route.fulfill({ json: more ? { ...body, next: String(at + 500) } : body });
  });
  await page.reload();
  await page.getByText("10,000").first().waitFor();
  const seen = await page.evaluate(async () => {
    const box = document.querySelector(".rows");
    if (!box) throw new Error("the list is missing");
    const order: string[] = [];
    const known = new Set<string>();
    let most = 0;
    for (;;) {
      const rows = [...box.querySelectorAll<HTMLElement>(".item")];
      most = Math.max(most, rows.length);
      for (const row of rows) {
        const id = row.dataset.id ?? "";
        if (!known.has(id)) order.push(id);
        known.add(id);
      }
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return { order, most };
      // The list draws a few rows beyond the screen, so a step may be longer than it is high.
      box.scrollTop += box.clientHeight + 1000;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    }
  });
  expect(seen.order).toEqual(items.map((item) => item.id));
  expect(seen.most).toBeLessThan(40);
  await context.close();
}, 180_000);
