// Every page in light and dark, wide and narrow: no finding of axe-core. With SCREENSHOTS, a picture of each instead.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axe } from "./support/browser.mjs";
import { INSIDE, type Look, OUTSIDE } from "./support/looks";
import { playRelay } from "./support/relay.mjs";
import { everyKind, hostile, operated } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const FOLDER = fileURLToPath(new URL("../screenshots/", import.meta.url));
const TAKES_PICTURES = process.env.SCREENSHOTS !== undefined;
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
/** The pages to look at; all of them unless LOOKS has a pattern. */
const ONLY = new RegExp(process.env.LOOKS ?? "");
const THEMES = ["light", "dark"] as const;

const world = useWorld(
  (exchange) => ({ relay: playRelay(exchange), ...everyKind(exchange), ...operated(exchange), hostile: exchange.submit(hostile()) }),
  { mailsCodes: true },
);

/** Returns what is wrong with a page in both themes. */
async function inspect(page: Page, name: string, device: string): Promise<string[]> {
  const findings: string[] = [];
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    if (TAKES_PICTURES) await page.screenshot({ path: `${FOLDER}${name}-${colorScheme}-${device}.png` });
    else findings.push(...(await axe(page, colorScheme === "dark")).map((finding: string) => `${name}, ${colorScheme}: ${finding}`));
  }
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wider > 0) findings.push(`${name}: ${wider} px wider than the window`);
  // Inside the frame only the page scrolls, not the frame with it.
  const higher = await page.evaluate(() => (document.querySelector(".app") ? document.documentElement.scrollHeight - document.documentElement.clientHeight : 0));
  if (higher > 0) findings.push(`${name}: ${higher} px higher than the window`);
  return findings;
}

async function inspectAll(page: Page, looks: Record<string, Look>, device: string): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, look] of Object.entries(looks)) {
    if (!ONLY.test(name)) continue;
    await look(page, world);
    if (looks === INSIDE) await page.locator(".conn", { hasText: "Live" }).waitFor();
    findings.push(...(await inspect(page, name, device)));
    await page.unrouteAll();
  }
  return findings;
}

describe.concurrent.each(Object.entries(SIZES))("on a %s", (device, viewport) => {
  test("every page is accessible, in both themes, and as wide as the window", async () => {
    if (TAKES_PICTURES) mkdirSync(FOLDER, { recursive: true });
    const options = { viewport, reducedMotion: "reduce" as const };
    const stranger = await world.stranger(options);
    const outside = await inspectAll(stranger.page, OUTSIDE, device);
    outside.push(...stranger.problems);
    await stranger.context.close();
    const { page, context, problems } = await world.person("ana", options);
    expect([...outside, ...(await inspectAll(page, INSIDE, device)), ...problems]).toEqual([]);
    await context.close();
  }, 480_000);
});
