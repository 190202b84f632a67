"""The Python client does a whole job: a picture is uploaded and becomes a video.

Takes the URL of /mcp, a mode of negotiation, and the path of a picture; the token is in TOKEN. Prints what it saw, as JSON.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Literal

import httpx2
from mcp.client import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Request, RequestParams, Result

PREFIX = "mediagate_"


class CreatedTask(Result):
    """A task in place of a result."""

    result_type: Literal["task"] = "task"
    taskId: str
    pollIntervalMs: int


class TaskStatus(Result):
    """A task's status, and its result once it is over."""

    status: str
    result: CallToolResult | None = None


class TaskParams(RequestParams):
    taskId: str


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    # The client repeats it in the header Mcp-Name.
    name_param = "taskId"


class Tasks(ClientExtension):
    """The extension for tasks, as a client that has it would use it."""

    identifier = "io.modelcontextprotocol/tasks"
    poll_count = 0

    def claims(self):
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self.resolve)]

    async def resolve(self, created: CreatedTask, context: ClaimContext) -> CallToolResult:
        while True:
            self.poll_count += 1
            request = GetTask(params=TaskParams(taskId=created.taskId))
            task = await context.session.send_request(request, TaskStatus)
            if task.status == "completed":
                return task.result
            await asyncio.sleep(created.pollIntervalMs / 1000)


async def upload(client: Client, picture: bytes) -> str:
    file = {"file_name": "photo.png", "content_type": "image/png", "size": len(picture)}
    upload = (await client.call_tool(f"{PREFIX}request_upload", file)).structured_content
    async with httpx2.AsyncClient() as http:
        put = await http.put(upload["upload_url"], content=picture, headers={"content-type": "image/png"})
        put.raise_for_status()
    return upload["file_id"]


async def job(url: str, mode: str, picture: bytes) -> dict:
    seen: dict = {"progress": []}
    tasks = Tasks() if mode == "2026-07-28" else None

    async def progress(now: float, total: float | None, message: str | None) -> None:
        seen["progress"].append(now)

    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {os.environ['TOKEN']}"}, timeout=60)
    transport = streamable_http_client(url, http_client=http)
    async with http, Client(transport, mode=mode) as client:
        seen["version"] = client.protocol_version
        seen["tools"] = len((await client.list_tools()).tools)
        arguments = {"file_id": await upload(client, picture), "prompt": "slow push in", "duration_seconds": 1}
        created = await client.call_tool(f"{PREFIX}image_to_video", arguments)
        seen["created"] = created.structured_content["task"]["state"]
        read = {"task_id": created.structured_content["task"]["id"], "wait_seconds": 30}
        seen["read"] = (await client.call_tool(f"{PREFIX}get_task", read)).structured_content["task"]
        followed = await client.call_tool(f"{PREFIX}image_to_video", arguments, progress_callback=progress)
        seen["followed"] = followed.structured_content["task"]["state"]
        refused = await client.call_tool(f"{PREFIX}image_to_video", {"file_id": "another-callers", "prompt": ""})
        seen["refused"] = [refused.is_error, refused.content[0].text]
    if tasks:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {os.environ['TOKEN']}"}, timeout=60)
        transport = streamable_http_client(url, http_client=http)
        async with http, Client(transport, mode=mode, extensions=[tasks]) as client:
            await client.list_tools()
            done = await client.call_tool(f"{PREFIX}image_to_video", arguments)
            seen["task"] = [done.structured_content["task"]["state"], tasks.poll_count > 0]
    return seen


url, mode, picture = sys.argv[1:]
print(json.dumps(asyncio.run(job(url, mode, Path(picture).read_bytes()))))
