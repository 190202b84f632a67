"""A Python client of the revision 2025-03-26 does a whole job: a picture is uploaded and becomes a video.

Takes the URL of /mcp and the path of a picture; the token is in TOKEN. Prints what it saw, as JSON.
"""

import asyncio
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

PREFIX = "mediagate_"


async def job(url: str, picture: bytes) -> dict:
    headers = {"authorization": f"Bearer {os.environ['TOKEN']}"}
    async with streamablehttp_client(url, headers=headers) as (read, write, _):
        async with ClientSession(read, write, read_timeout_seconds=timedelta(seconds=120)) as session:
            version = (await session.initialize()).protocolVersion

            async def call(name: str, arguments: dict) -> dict:
                result = await session.call_tool(PREFIX + name, arguments)
                assert not result.isError, result.content[0].text
                # Structured content is newer than this client.
                return json.loads(result.content[0].text)

            file = {"file_name": "photo.png", "content_type": "image/png", "size": len(picture)}
            upload = await call("request_upload", file)
            async with httpx.AsyncClient() as http:
                put = await http.put(upload["upload_url"], content=picture, headers={"content-type": "image/png"})
                put.raise_for_status()
            image = {"file_id": upload["file_id"], "prompt": "slow push in", "duration_seconds": 1}
            created = await call("image_to_video", {**image, "idempotency_key": None})
            ended = await call("get_task", {"task_id": created["task"]["id"], "wait_seconds": 60})
            tools = (await session.list_tools()).tools
            return {"version": version, "tools": len(tools), "task": ended["task"]}


url, picture = sys.argv[1:]
print(json.dumps(asyncio.run(job(url, Path(picture).read_bytes()))))
