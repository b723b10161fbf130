// A real browser with people in it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { PASSWORD } from "./exchange.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export function launch() {
  const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/**
 * @typedef {object} Window
 * @property {import("playwright-core").BrowserContext} context
 * @property {import("playwright-core").Page} page
 * @property {string[]} problems
 */

/** Opens a window. `problems` collects script errors and violations of the content security policy.
 * @returns {Promise<Window>} */
export async function openWindow(browser, site, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: site.url, ...options });
  const page = await context.newPage();
  const problems = [];
  const watch = (one) => {
    one.on("pageerror", (error) => problems.push(error.message));
    one.on("console", (message) => {
      if (/Content Security Policy|Warning:|Error:/.test(message.text())) problems.push(message.text());
    });
    one.on("request", (request) => {
      if (!request.url().startsWith(site.url)) problems.push(`request to ${request.url()}`);
    });
  };
  watch(page);
  context.on("page", watch);
  return { context, page, problems };
}

/** Opens a window in which a person has signed in.
 * @returns {Promise<Window>} */
export async function signedIn(browser, site, name, options = {}) {
  const opened = await openWindow(browser, site, options);
  const { page } = opened;
  await page.goto("/ui/sign-in");
  await page.fill("#name", name);
  await page.fill("#password", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/inbox*");
  return opened;
}

/** Rules whose result depends on the theme. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Returns what axe-core finds on a page; of another theme of the same page only what depends on colours. */
export async function axe(page, onlyColours = false) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const runOnly = onlyColours ? { type: "rule", values: COLOURS } : { type: "tag", values: TAGS };
  const options = { runOnly, resultTypes: ["violations"] };
  const found = await page.evaluate((given) => globalThis.axe.run(document, given), options);
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")} ${node.failureSummary}`));
}
