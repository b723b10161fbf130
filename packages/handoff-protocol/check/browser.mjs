// Shows the built `<tasuki-card>` in Chromium, on a page without React and under a strict policy.
// CHROMIUM is the path of a Chromium; PICTURES a folder for screenshots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const POLICY = "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>start</title>
<script type="module" src="/element.js"></script><script type="module" src="/page.js"></script>
<main><h1>A page without React</h1>
<tasuki-card source-agent="Web Scraper" destination-agent="Data Synthesizer" goal="Extract <b>pricing</b> tiers"
  summary="42 pages\u200B have tables." payload='[{"label":"Cost","value":"$0.45"}]' next-request="Parse the tables." can-intercept></tasuki-card></main></html>`;

const SCRIPT = `for (const name of ["accept", "intercept", "cancel"])
  document.addEventListener("tasuki-" + name, (event) => { document.title = event.type + " of " + event.target.goal; });`;

const FILES = {
  "/": ["text/html; charset=utf-8", PAGE],
  "/page.js": ["text/javascript", SCRIPT],
  "/element.js": ["text/javascript", readFileSync(new URL("../dist/element.js", import.meta.url))],
};

const server = createServer((request, response) => {
  const [type, body] = FILES[request.url] ?? ["text/plain", ""];
  response.writeHead(type === "text/plain" ? 404 : 200, { "Content-Type": type, "Content-Security-Policy": POLICY }).end(body);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

try {
  const page = await browser.newPage({ reducedMotion: "reduce" });
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("404")) problems.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const card = page.locator("tasuki-card");
  await card.getByText("Extract <b>pricing</b> tiers").waitFor();
  await card.getByText("U+200B").waitFor();

  for (const [name, event] of [["Accept Handoff", "accept"], ["Intercept & Override", "intercept"], ["Cancel", "cancel"]]) {
    await card.getByRole("button", { name, exact: true }).click();
    assert.equal(await page.title(), `tasuki-${event} of Extract <b>pricing</b> tiers`);
  }

  const colour = () => card.locator("article").evaluate((element) => getComputedStyle(element).backgroundColor);
  const [light, dark] = ["rgb(254, 253, 251)", "rgb(25, 24, 22)"];
  for (const [colorScheme, expected] of [["light", light], ["dark", dark]]) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await colour(), expected, `the system is ${colorScheme}`);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], colorScheme);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/element-${colorScheme}.png` });
  }
  const expectColour = async (expected, why) => {
    await page.waitForFunction((wanted) => getComputedStyle(document.querySelector("tasuki-card").shadowRoot.querySelector("article")).backgroundColor === wanted, expected, { timeout: 5000 }).catch(() => assert.fail(why));
  };
  await page.evaluate(() => document.documentElement.classList.add("light"));
  await expectColour(light, "the page says light, the system dark");
  await page.evaluate(() => document.querySelector("tasuki-card").setAttribute("theme", "dark"));
  await expectColour(dark, "the element says dark, the page light");

  await page.evaluate(() => document.querySelector("tasuki-card").removeAttribute("can-intercept"));
  await card.getByRole("button").first().waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
  server.close();
}
console.log("check-card: <tasuki-card> in Chromium, without React and under a strict policy");
