// Checks the card in Chromium, as a host with MCP Apps shows it: the real bridge of a host, the page as
// the server sends it, and a handoff whose text tries to become markup.
//
// Arguments: the program, a folder with an exchange, the address of its server, a token, and optionally
// the path of a picture to take.

import assert from 'node:assert';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chromium } from 'playwright-core';

const [program, folder, address, token, picture] = process.argv.slice(2);
const party = { name: 'check-mcp', version: '1' };
const HOSTILE = '<img src=x onerror="top.pwned=1"></pre><script>top.pwned=1</script>';

async function handoff() {
  const env = { ...process.env, TASUKI_URL: address, TASUKI_TOKEN: token };
  const client = new Client(party, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp'], cwd: folder, env }));
  const task = 'card';
  const begun = { goal: HOSTILE, task, remaining: [HOSTILE] };
  assert(!(await client.callTool({ name: 'handoff_begin', arguments: begun })).isError);
  const { tools } = await client.listTools();
  const tool = tools.find((one) => one._meta?.ui);
  const page = (await client.readResource({ uri: tool._meta.ui.resourceUri })).contents[0];
  const result = await client.callTool({ name: tool.name, arguments: { handoff: task } });
  const refused = await client.callTool({ name: tool.name, arguments: { handoff: 'nothing' } });
  await client.close();
  return { page, result, refused };
}

// Shows the page in a frame without an origin, and connects a host to it.
async function shown(browser, html) {
  const page = await browser.newPage({ viewport: { width: 640, height: 560 } });
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  const transport = { start: async () => {}, close: async () => {} };
  await page.exposeFunction('toHost', (message) => transport.onmessage?.(message));
  await page.setContent('<iframe sandbox="allow-scripts" style="width:100%;height:520px;border:0"></iframe>');
  transport.send = (message) =>
    page.evaluate((sent) => document.querySelector('iframe').contentWindow.postMessage(sent, '*'), message);
  const bridge = new AppBridge(null, party, { openLinks: {} });
  const opened = [];
  bridge.onopenlink = async ({ url }) => {
    opened.push(url);
    return {};
  };
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(transport);
  await page.evaluate((text) => {
    addEventListener('message', (event) => window.toHost(event.data));
    document.querySelector('iframe').srcdoc = text;
  }, html);
  await initialized;
  const card = page.frames().find((frame) => frame !== page.mainFrame());
  return { page, card, bridge, opened, requests };
}

const { page: resource, result, refused } = await handoff();
assert.equal(resource.mimeType, 'text/html;profile=mcp-app');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox'],
});
try {
  const { page, card, bridge, opened, requests } = await shown(browser, resource.text);
  await bridge.sendToolInput({ arguments: { handoff: 'card' } });
  await bridge.sendToolResult(refused);
  await card.getByText('nothing').first().waitFor();
  await bridge.sendToolResult(result);
  await card.getByRole('heading', { name: 'card' }).waitFor();
  assert((await card.locator('body').innerText()).includes(HOSTILE));
  assert.equal(await card.locator('img, iframe, object, a, form').count(), 0);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  await card.getByRole('button', { name: 'Open in the console' }).click();
  await card.locator('summary').first().click();
  if (picture) await page.screenshot({ path: picture });
  for (let tries = 0; opened.length === 0 && tries < 50; tries += 1) await page.waitForTimeout(20);
  assert.match(opened[0], new RegExp(`^${address}/ui/p/default/h/hof_[0-9a-f]{32}$`));
  // The exchange refuses such characters; another server behind the same host may not.
  const reordered = { ...result.structuredContent, task: 'a\u202egnp.exe' };
  await bridge.sendToolResult({ ...result, structuredContent: reordered, _meta: {} });
  await card.getByRole('heading', { name: 'a\\u202egnp.exe' }).waitFor();
  assert(await card.getByRole('button').isHidden(), 'there is no address to open');
  await bridge.teardownResource({});
  assert.deepEqual(requests.filter((url) => !url.startsWith('about:')), []);
  console.log('check-mcp: the card shows a handoff in Chromium, and interprets nothing of it');
} finally {
  await browser.close();
}
