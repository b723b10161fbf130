// Every page in light and dark, wide and narrow: no finding of axe-core, and a picture of each.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { axe } from "./support/browser.mjs";
import { everyKind, hostile } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const FOLDER = fileURLToPath(new URL("../screenshots/", import.meta.url));
const THEMES = ["light", "dark"] as const;
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

const world = useWorld((exchange) => ({ ...everyKind(exchange), hostile: exchange.submit(hostile()) }));
beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
});

type Look = (page: Page) => Promise<unknown>;

const card = (name: string, more?: Look): Look => async (page) => {
  await page.goto(`/ui/p/default/h/${world.ids[name]}`);
  await page.locator(".man-f").waitFor();
  await page.locator(".rail .ladder").waitFor();
  await more?.(page);
};

const LOOKS: Record<string, Look> = {
  inbox: (page) => page.goto("/ui/p/default/inbox").then(() => page.locator(".item").nth(5).waitFor()),
  "inbox-done": (page) => page.goto("/ui/p/default/inbox?view=done").then(() => page.locator(".list .tabs").waitFor()),
  "inbox-filtered-empty": (page) =>
    page.goto("/ui/p/default/inbox?q=nothing+like+this").then(() => page.getByText("No handoff matches").waitFor()),
  "inbox-empty": async (page) => {
    const body = { party: "ana", handoffs: [], as_of_n: 18205, as_of: new Date().toISOString(), more: false };
    await page.route("**/v1/inbox*", (route) => route.fulfill({ json: body }));
    await page.route("**/v1/dead*", (route) => route.fulfill({ json: { items: [] } }));
    await page.goto("/ui/p/default/inbox");
    await page.getByText("Nothing needs you").waitFor();
    await page.unrouteAll();
  },
  "inbox-unanswered": async (page) => {
    await page.route("**/v1/inbox*", (route) => route.abort());
    await page.goto("/ui/p/default/inbox");
    await page.getByText("this is not an empty inbox").waitFor();
    await page.unrouteAll();
  },
  "card-hold": card("hold"),
  "card-action": card("action"),
  "card-gate": card("gate"),
  "card-sign-off": card("gate", async (page) => {
    await page.keyboard.press("s");
    await page.getByLabel(/Your password/).waitFor();
  }),
  "card-offer": card("offer"),
  "card-question": card("question"),
  "card-return": card("returned"),
  "card-mine": card("mine"),
  "card-dead": card("dead"),
  "card-hostile": card("hostile"),
  "card-reject": card("hold", async (page) => {
    await page.keyboard.press("r");
    await page.getByLabel(/Reason/).fill("Alert rate is still above the baseline.");
  }),
  "edit-form": card("hold", async (page) => {
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Goal" }).fill("Explain the checkout errors since 13:47 in eu-west");
  }),
  "edit-difference": card("hold", async (page) => {
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Goal" }).fill("Explain the checkout errors since 13:47 in eu-west");
    await page.getByRole("button", { name: "Review the difference" }).click();
    await page.locator(".code").last().waitFor();
  }),
  search: (page) => page.goto("/ui/p/default/search?q=checkout").then(() => page.getByText(/found for/).waitFor()),
  settings: (page) => page.goto("/ui/p/default/settings").then(() => page.getByRole("heading", { name: "Settings" }).waitFor()),
  keys: async (page) => {
    await page.goto("/ui/p/default/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  },
};

describe.each(THEMES)("in %s", (colorScheme) => {
  test.each(Object.entries(SIZES))("on a %s", async (device, viewport) => {
    const findings: string[] = [];
    const take = async (page: Page, name: string) => {
      await page.screenshot({ path: `${FOLDER}${name}-${colorScheme}-${device}.png` });
      findings.push(...(await axe(page)).map((finding: string) => `${name}: ${finding}`));
    };
    const stranger = await world.stranger({ colorScheme, viewport });
    await stranger.page.goto("/ui/sign-in");
    await stranger.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await take(stranger.page, "sign-in");
    await stranger.page.goto("/ui/welcome?t=0");
    await stranger.page.getByRole("button", { name: /Sign in/ }).waitFor();
    await take(stranger.page, "welcome");
    await stranger.context.close();

    const { page, context, problems } = await world.person("ana", { colorScheme, viewport });
    for (const [name, look] of Object.entries(LOOKS)) {
      await look(page);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.waitForTimeout(150);
      await take(page, name);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (width > 0) findings.push(`${name}: ${width} px wider than the window`);
    }
    expect(findings).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  }, 240_000);
});
