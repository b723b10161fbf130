// The page of the card: every state, and a control for every prop. No one is signed in.
import { expect, test } from "vitest";
import { STATES } from "../src/showcase/states";
import { useWorld } from "./support/world";

const world = useWorld();

async function openPage() {
  const opened = await world.stranger();
  await opened.page.goto("/ui/card");
  const play = opened.page.locator("[data-state=playground]");
  await play.locator(".hp").waitFor();
  return { ...opened, play };
}

test("every state is shown, as a component and as an element", async () => {
  const { page, context, problems } = await openPage();
  for (const { id, props } of STATES) {
    const state = page.locator(`[data-state="${id}"]`);
    await state.locator(".hp-badge", { hasText: /^Context Packet$/ }).waitFor();
    expect(await state.getByRole("button", { name: "Accept Handoff" }).count(), id).toBe(props.canIntercept ? 1 : 0);
  }
  expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
  expect(problems).toEqual([]);
  await context.close();
});

test("each control changes its prop", async () => {
  const { page, play, context, problems } = await openPage();
  const texts = { sourceAgent: ".hp-name >> nth=0", destinationAgent: ".hp-name >> nth=1", goal: ".hp-goal", summary: ".hp-text >> nth=0" };
  for (const [name, shown] of Object.entries({ ...texts, nextRequest: ".hp-text >> nth=1" })) {
    await page.getByLabel(name, { exact: true }).fill(`The ${name}`);
    await play.locator(shown, { hasText: `The ${name}` }).waitFor();
  }
  await page.getByLabel("className", { exact: true }).fill("dark");
  await play.locator(".hp.dark").waitFor();
  await page.getByLabel(/^payload/).fill("Cost: $1.20\nURL: http://example.com");
  expect(await play.locator("td").allTextContents()).toEqual(["$1.20", "http://example.com"]);
  await page.getByLabel(/^payload/).fill("");
  await page.getByLabel("nextRequest", { exact: true }).fill("");
  expect(await play.locator("h3").allTextContents()).toEqual(["Goal ", "What happened "]);
  await page.getByLabel("canIntercept").uncheck();
  expect(await play.getByRole("button").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test.each([false, true])("the buttons call what is given, and nothing else (as an element: %s)", async (isElement) => {
  const { page, play, context, problems } = await openPage();
  if (isElement) await page.getByLabel("as <tasuki-card>").check();
  const names = { "Accept Handoff": "onAccept", "Intercept & Override": "onIntercept", Cancel: "onCancel" };
  let count = 0;
  for (const [button, callback] of Object.entries(names)) {
    await play.getByRole("button", { name: button, exact: true }).click();
    await play.getByText(`${callback}() was called, call ${++count}.`).waitFor();
    await page.getByLabel(`${callback} is given`).uncheck();
    await play.getByRole("button", { name: button, exact: true }).click();
  }
  await play.getByText(`onCancel() was called, call ${count}.`).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the keyboard alone reaches the buttons, and the focus is visible", async () => {
  const { page, play, context } = await openPage();
  await play.getByRole("button", { name: "Accept Handoff" }).focus();
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus");
  expect(await focused.textContent()).toBe("Intercept & Override");
  expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
  await page.keyboard.press("Enter");
  await play.getByText("onIntercept() was called").waitFor();
  await context.close();
});

test("the theme is the system's, the chosen one, or that of one card", async () => {
  const { page, context } = await openPage();
  const colour = (state: string) =>
    page.locator(`[data-state="${state}"] .hp`).evaluate((card) => getComputedStyle(card).backgroundColor);
  const [light, dark] = ["rgb(254, 253, 251)", "rgb(25, 24, 22)"];
  await page.emulateMedia({ colorScheme: "dark" });
  expect([await colour("read-only"), await colour("element"), await colour("light")]).toEqual([dark, dark, light]);
  await page.getByLabel("Theme").selectOption("light");
  await expect.poll(() => colour("element")).toBe(light);
  expect([await colour("read-only"), await colour("dark")]).toEqual([light, dark]);
  await context.close();
});
