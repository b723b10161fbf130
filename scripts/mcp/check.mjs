// Checks `tasuki mcp` and `/mcp` with the official TypeScript clients: the first one has a handshake,
// the second one is checked with and without.
//
// Arguments: the program, a folder with an exchange, the address of its server, a token.

import assert from 'node:assert';
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Second, StreamableHTTPClientTransport as SecondHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as SecondStdio } from '@modelcontextprotocol/client/stdio';

const [program, folder, address, token] = process.argv.slice(2);
const party = { name: 'check-mcp', version: '1' };
const stdio = { command: program, args: ['mcp', '--as', 'typescript'], cwd: folder };
const mode = (mode) => ({ versionNegotiation: { mode } });
const url = new URL(`${address}/mcp`);
const http = { requestInit: { headers: { authorization: `Bearer ${token}` } } };

async function called(client, name, given) {
  const result = await client.callTool({ name, arguments: given });
  assert(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
}

async function check(label, client, transport) {
  const task = label.replaceAll(/[ ,]+/g, '-');
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 19);
  const { fence } = await called(client, 'handoff_begin', { goal: 'Check the tools', task });
  const saved = await called(client, 'handoff_checkpoint', { handoff: task, fence, completed: ['One'] });
  assert.equal(saved.checkpoints, 1);
  const read = await client.readResource({ uri: `handoff://${task}/brief` });
  assert(read.contents[0].text.includes('TASUKI-DATA'));
  const prompt = await client.getPrompt({ name: 'brief_me', arguments: { handoff: task } });
  assert(prompt.messages[0].content.text.includes('Check the tools'));
  const late = { handoff: task, fence: 99, summary: 'x' };
  assert((await client.callTool({ name: 'handoff_return', arguments: late })).isError);
  await called(client, 'handoff_return', { handoff: task, fence, summary: 'Checked' });
  const version = client.getNegotiatedProtocolVersion?.() ?? 'with a handshake';
  assert(!label.endsWith('auto') || version === '2026-07-28', version);
  await client.close();
  console.log(`check-mcp: TypeScript ${label}: ${version}`);
}

await check('v1 over stdio', new First(party), new FirstStdio(stdio));
await check('v1 over http', new First(party), new FirstHttp(url, http));
for (const era of ['legacy', 'auto']) {
  await check(`v2 over stdio, ${era}`, new Second(party, mode(era)), new SecondStdio(stdio));
  await check(`v2 over http, ${era}`, new Second(party, mode(era)), new SecondHttp(url, http));
}
