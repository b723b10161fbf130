// The task page: the relay in every view, and the log that the browser checks itself.
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { playRelay, TASK } from "./support/relay.mjs";
import { useWorld } from "./support/world";

const world = useWorld((exchange) => ({ relay: playRelay(exchange) }));

async function openTask(page: Page, view = ""): Promise<void> {
  await page.goto(`/ui/p/default/t/${TASK}${view}`);
  // The heading is there while the task loads, and the keys are not.
  await page.getByRole("navigation", { name: "Task views" }).waitFor();
}

/** Answers requests for the leaves of the task with changed lines. */
async function tamper(page: Page, change: (line: string) => string): Promise<void> {
  await page.route("**/leaves?*", async (route: Route) => {
    const response = await route.fetch();
    const lines = (await response.text()).split("\n").map(change);
    await route.fulfill({ response, body: lines.join("\n") });
  });
}

test("the team lead follows a task from its first packet to its verdict", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.locator(".conn", { hasText: "Live" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("link", { name: TASK }).click();
  await page.getByRole("img", { name: `Relay of ${TASK}` }).waitFor();
  await page.getByText(/recomputed in this browser/).waitFor();

  await page.getByRole("link", { name: "Table" }).click();
  const rows = await page.locator("table.tb tbody tr").allInnerTexts();
  const told = (words: RegExp) => rows.findIndex((row) => words.test(row.replaceAll(/\s+/g, " ")));
  const order = [/held for ben/, /asked, hermes-main/, /worked on by hermes-main, fence 1, 1 checkpoint/, /lease expired, hermes-main/]
    .concat([/worked on by hermes-worker-3, fence 2/, /judged by ana/, /verdict fail, ana: “There is no keyboard test.”/])
    .concat([/worked on by hermes-worker-3, fence 3/, /worked on by codex-2/])
    .map(told);
  expect(order).not.toContain(-1);
  expect(rows.some((row) => /hand-over|to codex-2/.test(row))).toBe(true);

  const acceptance = page.getByRole("region", { name: "Return against acceptance" });
  expect(await acceptance.getByRole("row", { name: /keyboard/ }).innerText()).toMatch(/fail\s+pass\s+trace:kbd-2/);
  await page.getByRole("region", { name: "Checkpoints" }).getByText("Component logic done").waitFor();
  await page.getByRole("region", { name: "Questions" }).getByText("The tenant contoso-test").waitFor();
  await page.getByRole("region", { name: /^Revisions of/ }).getByText("/notes").first().waitFor();

  await page.getByRole("link", { name: /Judge the return/ }).first().click();
  await page.waitForURL(/\/h\/hof_/);
  await page.locator(".man-f").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the keys of the task page change the view", async () => {
  const { page, context } = await world.person("ana");
  await openTask(page);
  const current = () => page.locator(".tabs [aria-current]").innerText();
  for (const [key, name] of [["b", "Graph"], ["t", "Timeline"], ["3", "Table"], ["4", "Packets"], ["5", "Log"]] as const) {
    await page.keyboard.press(key);
    await expect.poll(current).toContain(name);
  }
  await page.reload();
  await expect.poll(current).toContain("Log");
  await context.close();
});

test("every entry of the task is recomputed and linked, and an entry opens its check", async () => {
  const { page, context, problems } = await world.person("ana");
  await openTask(page, "?view=log");
  await page.getByText(/recomputed in this browser/).waitFor();
  const entries = await page.locator(".chain li").count();
  const events = world.exchange.cli("ana", "timeline", TASK, "--json").trim().split("\n");
  expect(entries).toBeGreaterThan(15);
  expect(await page.getByText(`${entries} of ${entries} recomputed in this browser`).count()).toBe(1);
  expect(events.length).toBeGreaterThan(0);
  expect(await page.locator(".chain .mark.no").count()).toBe(0);
  await page.locator(".chain li .disc").nth(2).click();
  await page.getByText(/This browser recomputed its hash/).waitFor();
  await page.getByText(/recomputed from #\d+: the same/).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a leaf that was changed on its way is shown as broken, with its number", async () => {
  const { page, context } = await world.person("ana");
  let changed = 0;
  await tamper(page, (line) => {
    if (!line.includes('"handoff.checkpointed"') || changed > 0) return line;
    changed = Number(/"n":(\d+)/.exec(line)?.[1]);
    return line.replace(/"fence":1/, '"fence":7');
  });
  await openTask(page, "?view=log");
  await page.getByText(/^broken at #/).waitFor();
  expect(changed).toBeGreaterThan(0);
  expect(await page.getByRole("status").getByText(/^broken at/).innerText()).toBe(`broken at #${changed}`);
  await page.getByText(new RegExp(`The log is broken at #${changed}: its hash is not the one that #${changed + 1} contains`)).waitFor();
  expect(await page.locator(".chain li.on").innerText()).toContain(`#${changed}`);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByText(/recomputed in this browser/).waitFor();
  await context.close();
});

test("a leaf that was left out is missed", async () => {
  const { page, context } = await world.person("ana");
  await tamper(page, (line) => (line.includes('"handoff.lapsed"') ? "" : line));
  await openTask(page, "?view=log");
  await page.getByText(/^broken at #/).waitFor();
  await context.close();
});

test("an unknown task is said to be unknown", async () => {
  const { page, context } = await world.person("ana");
  await page.goto("/ui/p/default/t/nothing-like-this");
  await page.getByText("There is no task nothing-like-this in this project.").waitFor();
  await context.close();
});
