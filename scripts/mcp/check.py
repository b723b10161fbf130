"""Checks `tasuki mcp` and `/mcp` with the official Python client, in both eras of the protocol.

Arguments: the program, a folder with an exchange, the address of its server, a token.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

PROGRAM, FOLDER, ADDRESS, TOKEN = sys.argv[1:5]
MODES = ["legacy", "auto", "2026-07-28"]


def over_stdio():
    return StdioServerParameters(command=PROGRAM, args=["mcp", "--as", "python"], cwd=FOLDER)


def over_http():
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"})
    return streamable_http_client(f"{ADDRESS}/mcp", http_client=http)


async def called(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, result.content)
    return result.structured_content


async def check(transport, mode, task):
    async with Client(transport, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 19 and all(tool.output_schema for tool in tools), tools
        begun = await called(client, "handoff_begin", goal="Check the tools", task=task)
        held = {"handoff": task, "fence": begun["fence"]}
        saved = await called(client, "handoff_checkpoint", completed=["One"], **held)
        assert saved["checkpoints"] == 1, saved
        read = await client.read_resource(f"handoff://{task}/brief")
        assert "TASUKI-DATA" in read.contents[0].text, read
        prompt = await client.get_prompt("brief_me", {"handoff": task})
        assert "Check the tools" in prompt.messages[0].content.text, prompt
        late = await client.call_tool("handoff_return", {"handoff": task, "fence": 99, "summary": "x"})
        assert late.is_error, late
        await called(client, "handoff_return", summary="Checked", **held)
        return client.protocol_version


async def main():
    for name, transport in [("stdio", over_stdio), ("http", over_http)]:
        for mode in MODES:
            version = await check(transport(), mode, f"python-{name}-{mode}")
            print(f"check-mcp: Python over {name}, mode {mode}: {version}")


asyncio.run(main())
