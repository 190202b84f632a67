// The TypeScript SDKs, which agents are built on, do a whole job: they upload a picture that
// becomes a video.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportOfV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as EarlyClient } from "mcp-sdk-2025-03-26/client/index.js";
import { StreamableHTTPClientTransport as EarlyTransport } from "mcp-sdk-2025-03-26/client/streamableHttp.js";
import { picture } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";

const INFO = { name: "test", version: "1.0.0" };

let stack;
before(
  async () =>
    (stack = await startStack({
      assets: false,
      flags: ["--task-seconds", "0.6"],
    })),
);
after(() => stack?.stop());

/** Signs a long-lived token, as in an agent's configuration. */
const bearer = () => {
  const now = Math.floor(Date.now() / 1000);
  return token("agent", "mcp upload generate:* process:*", {
    iat: now,
    exp: now + 30 * 86_400,
    jti: "agent-1",
  });
};
const transport = (Transport) =>
  new Transport(new URL(`${stack.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${bearer()}` } },
  });

const v1 = (SomeClient, Transport) => async () => {
  const client = new SomeClient(INFO);
  await client.connect(transport(Transport));
  return {
    client,
    call: (name, input, options) =>
      client.callTool(
        { name: `mediagate_${name}`, arguments: input },
        undefined,
        options,
      ),
  };
};
const v2 = (mode) => async () => {
  const client = new Client(INFO, mode && { versionNegotiation: { mode } });
  await client.connect(transport(StreamableHTTPClientTransport));
  return {
    client,
    call: (name, input, options) =>
      client.callTool({ name: `mediagate_${name}`, arguments: input }, options),
  };
};

/** Uploads a picture in the way that the tool's description gives. */
async function upload(call) {
  const bytes = picture(64, 64);
  const { structuredContent } = await call("request_upload", {
    file_name: "photo.png",
    content_type: "image/png",
    size: bytes.length,
  });
  const put = await fetch(structuredContent.upload_url, {
    method: "PUT",
    body: bytes,
    headers: { "content-type": "image/png" },
  });
  assert.equal(put.ok, true);
  return structuredContent.file_id;
}

async function assertEnded(task) {
  assert.equal(task.state, "SUCCEEDED");
  const [output] = task.outputs;
  const video = new Uint8Array(await (await fetch(output.url)).arrayBuffer());
  assert.deepEqual(
    [output.kind, new TextDecoder().decode(video.subarray(4, 8))],
    ["video", "ftyp"],
  );
}

/** @type {[name: string, connect: () => Promise<any>, version: string | undefined][]} */
const clients = [
  ["SDK v1 of 2025-03-26", v1(EarlyClient, EarlyTransport), undefined],
  ["SDK v1", v1(ClientOfV1, TransportOfV1), "2025-11-25"],
  ["SDK v2 without negotiation", v2(), "2025-11-25"],
  ["SDK v2, auto", v2("auto"), "2026-07-28"],
  ["SDK v2, pinned", v2({ pin: "2026-07-28" }), "2026-07-28"],
];
for (const [name, connect, version] of clients) {
  test(`${name} does a whole job`, async () => {
    const { client, call } = await connect();
    try {
      assert.equal(client.getServerVersion().name, "mediagate");
      assert.equal(
        client.transport.protocolVersion ??
          client.getNegotiatedProtocolVersion?.(),
        version,
      );
      const { tools } = await client.listTools();
      assert.equal(tools.length, 29);

      const file_id = await upload(call);
      const created = await call("image_to_video", {
        file_id,
        prompt: "slow push in",
        duration_seconds: 1,
      });
      assert.notEqual(created.structuredContent.task.state, "SUCCEEDED");
      const ended = await call("get_task", {
        task_id: created.structuredContent.task.id,
        wait_seconds: 30,
      });
      await assertEnded(ended.structuredContent.task);
      const moved = await call("use_output", {
        task_id: created.structuredContent.task.id,
      });
      const silent = await call("split_video", {
        input_file_id: moved.structuredContent.file_id,
        segments: [{ start_time: "00:00:00", end_time: "00:00:01" }],
      });
      assert.ok(
        silent.structuredContent.task.id,
        JSON.stringify(silent.structuredContent),
      );

      const listed = (await call("list_tasks", { limit: 2 })).structuredContent;
      assert.deepEqual(
        listed.tasks.map((task) => task.id),
        [silent.structuredContent.task.id, created.structuredContent.task.id],
      );

      const progress = [];
      const followed = await call(
        "image_to_video",
        { file_id, prompt: "slow pull out", duration_seconds: 1 },
        { onprogress: (update) => progress.push(update.progress) },
      );
      await assertEnded(followed.structuredContent.task);
      assert.ok(
        progress.length > 0 &&
          progress.every(
            (value, index) => index === 0 || value > progress[index - 1],
          ),
        String(progress),
      );

      const refused = await call("image_to_video", {
        file_id: "another-callers",
        prompt: "",
      });
      assert.equal(refused.isError, true);
      assert.match(refused.content[0].text, /"path":"prompt"/);
      await assert.rejects(
        client.callTool({ name: "mediagate_nothing", arguments: {} }),
        (/** @type {any} */ error) => error.code === -32602,
      );
    } finally {
      await client.close();
    }
  });
}

test("a client without a token, or with an invalid one, gets the reason", async () => {
  for (const headers of [{}, { authorization: "Bearer x.y.z" }]) {
    for (const [
      AnyClient,
      Transport,
      options,
    ] of /** @type {[any, any, object?][]} */ ([
      [ClientOfV1, TransportOfV1],
      [Client, StreamableHTTPClientTransport],
      [
        Client,
        StreamableHTTPClientTransport,
        { versionNegotiation: { mode: "auto" } },
      ],
    ])) {
      const client = new AnyClient(INFO, options);
      await assert.rejects(
        client.connect(
          new Transport(new URL(`${stack.url}/mcp`), {
            requestInit: { headers },
          }),
        ),
        /401|requires authorization|no_token|invalid_token/,
      );
    }
  }
});
