// The protocol itself, in each version: the response, status and code of each message.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startWorld } from "../support/world.mjs";
import {
  LEGACY,
  legacy,
  MODERN,
  modern,
  post,
  TASKS,
} from "./support/client.mjs";

const ORIGIN = "https://page.example";
const { url } = await startWorld(
  () => ({ json: { code: 0, data: { models: [] } } }),
  { ALLOWED_ORIGINS: ORIGIN, MAX_BODY_BYTES: "65536" },
);

const error = ({ status, last }) => [status, last.error?.code];
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const CLIENT = { capabilities: {}, clientInfo: { name: "test", version: "1" } };

test("initialize returns the version, the capabilities and the instructions", async () => {
  for (const version of [LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"]) {
    const { status, headers, last } = await legacy(
      url,
      "initialize",
      { protocolVersion: version, ...CLIENT },
      { headers: { "mcp-protocol-version": null } },
    );
    assert.deepEqual([status, headers.get("mcp-session-id")], [200, null]);
    assert.deepEqual(
      [last.result.protocolVersion, last.result.capabilities],
      [version, { tools: {} }],
    );
    assert.equal(last.result.serverInfo.name, "mediagate");
    assert.match(last.result.instructions, /mediagate_request_upload/);
  }
  for (const version of ["2099-01-01", MODERN]) {
    const { last } = await legacy(url, "initialize", {
      protocolVersion: version,
      ...CLIENT,
    });
    assert.equal(last.result.protocolVersion, LEGACY, version);
  }
  for (const params of [undefined, {}, { protocolVersion: 5 }])
    assert.deepEqual(
      error(await legacy(url, "initialize", params)),
      [200, -32602],
    );
});

test("a slash at the end changes nothing", async () => {
  const send = (path, bearer = token()) =>
    request(url + path, {
      bearer,
      body: ping,
      headers: { accept: "application/json, text/event-stream" },
    });
  const plain = await send("/mcp");
  const slash = await send("/mcp/");
  assert.deepEqual([slash.status, slash.result], [plain.status, plain.result]);
  const refused = await send("/mcp", null);
  const refusedToo = await send("/mcp/", null);
  assert.deepEqual(
    [refusedToo.status, refusedToo.error?.code],
    [refused.status, refused.error?.code],
  );
});

test("notifications and responses are accepted without a response", async () => {
  for (const body of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 },
    },
    { jsonrpc: "2.0", id: 5, result: {} },
  ]) {
    const { status, messages } = await post(url, body, {
      headers: { "mcp-protocol-version": LEGACY },
    });
    assert.deepEqual([status, messages], [202, []]);
  }
  for (const notification of [
    { jsonrpc: "2.0", method: "notifications/x" },
    { jsonrpc: "2.0", method: "notifications/x", id: null, params: null },
  ]) {
    const headers = { "mcp-protocol-version": MODERN };
    const { status } = await post(url, notification, { headers });
    assert.equal(status, 202);
  }
  assert.deepEqual(
    error(
      await post(
        url,
        { jsonrpc: "2.0", id: 5, result: {} },
        { headers: { "mcp-protocol-version": MODERN } },
      ),
    ),
    [400, -32600],
  );
  const odd = await post(
    url,
    { jsonrpc: "2.0", method: "notifications/x" },
    { headers: { "mcp-protocol-version": "1900-01-01" } },
  );
  assert.deepEqual([...error(odd), "id" in odd.last], [400, -32022, false]);
});

test("a response has its request's id, unchanged", async () => {
  for (const id of ["", 'é"', 9007199254740991])
    assert.equal((await legacy(url, "ping", undefined, { id })).last.id, id);
  const { last } = await post(
    url,
    '{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}',
  );
  assert.deepEqual(last, { jsonrpc: "2.0", id: "\0", result: {} });
});

test("an invalid message is refused with JSON-RPC's own codes", async () => {
  const tool = (params) => ({ ...ping, method: "tools/call", params });
  const cases = [
    ["{", 400, -32700],
    [`{"a":${"[".repeat(100)}${"]".repeat(100)}}`, 400, -32700],
    ["null", 400, -32600],
    [{ ...ping, jsonrpc: "1.0" }, 400, -32600],
    [{ ...ping, id: null }, 400, -32600],
    [
      tool({
        name: "mediagate_list_options",
        _meta: { progressToken: "x".repeat(1025) },
      }),
      200,
      -32602,
    ],
    [{ jsonrpc: "2.0", id: 1 }, 400, -32600],
    [{ ...ping, method: 7 }, 400, -32600],
    [{ ...ping, params: [] }, 400, -32602],
    [{ ...ping, method: "nothing/here" }, 200, -32601],
    [{ ...ping, method: "server/discover" }, 200, -32601],
    [{ ...ping, method: "tools/call" }, 200, -32602],
    [tool({ name: "unknown_tool" }), 200, -32602],
    [tool({ name: ["mediagate_get_task"] }), 200, -32602],
    [tool({ name: "mediagate_get_task", arguments: "x" }), 200, -32602],
    [
      { ...ping, method: "tools/list", params: { cursor: "page 2" } },
      200,
      -32602,
    ],
  ];
  for (const [body, status, code] of cases)
    assert.deepEqual(
      error(await post(url, body)),
      [status, code],
      JSON.stringify(body),
    );
  const large = await post(url, {
    ...ping,
    params: { filler: "x".repeat(70_000) },
  });
  assert.deepEqual(
    [...error(large), large.last.error.data.reason],
    [413, -32600, "body_too_large"],
  );
});

test("a member that is null is absent", async () => {
  for (const body of [
    { ...ping, params: null },
    {
      ...ping,
      method: "tools/list",
      params: { cursor: null, _meta: { progressToken: null } },
    },
    {
      ...ping,
      method: "tools/call",
      params: { name: "mediagate_list_tasks", arguments: { limit: null } },
    },
  ]) {
    const { status, last } = await post(url, body);
    assert.deepEqual(
      [status, last.error, last.result.isError ?? false],
      [200, undefined, false],
      JSON.stringify(body),
    );
  }
});

test("a client of a revision with batches gets one response for each request", async () => {
  const list = { jsonrpc: "2.0", id: "b", method: "tools/list" };
  const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
  for (const version of [null, "2025-03-26"]) {
    const headers = { "mcp-protocol-version": version };
    const batch = [
      ping,
      notification,
      list,
      { ...ping, id: 2, method: "x" },
      5,
    ];
    const { status, last } = await post(url, batch, { headers });
    assert.deepEqual(
      [status, last.map(({ id, error }) => [id, error?.code])],
      [
        200,
        [
          [1, undefined],
          ["b", undefined],
          [2, -32601],
          [undefined, -32600],
        ],
      ],
    );
    const accepted = await post(url, [notification], { headers });
    assert.deepEqual([accepted.status, accepted.messages], [202, []]);
    for (const wrong of [[], Array.from({ length: 21 }, () => ping)])
      assert.deepEqual(
        error(await post(url, wrong, { headers })),
        [400, -32600],
      );
  }
  // No message of a batch keeps the others waiting.
  const { last } = await post(url, [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "mediagate_get_pipeline",
        arguments: { pipeline_id: "x", wait_seconds: -1 },
      },
    },
  ]);
  assert.match(last[0].result.content[0].text, /unknown_pipeline/);
  for (const version of [LEGACY, "2025-06-18", MODERN]) {
    const headers = { "mcp-protocol-version": version };
    assert.deepEqual(
      error(await post(url, [ping], { headers })),
      [400, -32600],
      version,
    );
  }
});

test("headers are checked as the protocol requires", async () => {
  const status = async (headers) => error(await post(url, ping, { headers }));
  for (const [accept, expected] of /** @type {[string, any[]][]} */ ([
    ["text/event-stream", [406, -32600]],
    ["application/json, text/event-stream;q=0", [200, undefined]],
  ]))
    assert.deepEqual(await status({ accept }), expected, accept);
  const { hostname, port } = new URL(url);
  const bare = httpRequest({
    hostname,
    port,
    path: "/mcp",
    method: "POST",
    headers: {
      authorization: `Bearer ${token()}`,
      "content-type": "application/json",
    },
  });
  bare.end(JSON.stringify(ping));
  const [response] = await once(bare, "response");
  assert.equal(response.statusCode, 200, "a client without Accept");
  response.resume();
  for (const type of ["text/plain", "application/jsonp"])
    assert.deepEqual(
      await status({ "content-type": type }),
      [415, -32600],
      type,
    );
  assert.deepEqual(
    await status({
      accept: "*/*",
      "content-type": "Application/JSON; charset=utf-8",
    }),
    [200, undefined],
  );
  for (const version of ["2024-10-07", "draft"])
    assert.deepEqual(
      await status({ "mcp-protocol-version": version }),
      [400, -32022],
      version,
    );
  assert.deepEqual(await status({ "mcp-protocol-version": null }), [
    200,
    undefined,
  ]);
  assert.deepEqual(await status({ "mcp-session-id": "of another server" }), [
    200,
    undefined,
  ]);
});

test("only POST is allowed, and only from allowed origins", async () => {
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(`${url}/mcp`, {
      method,
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${token()}`,
      },
    });
    assert.deepEqual(
      [response.status, response.headers.get("allow")],
      [405, "POST"],
      method,
    );
    assert.equal((await response.json()).jsonrpc, "2.0");
  }
  for (const origin of ["null", `${ORIGIN}.evil.example`]) {
    const { status, last } = await post(url, ping, { headers: { origin } });
    assert.deepEqual(
      [status, last.error.code, last.error.data.reason, "id" in last],
      [403, 13, "origin_not_allowed", false],
      origin,
    );
  }
  const own = await post(url, ping, { headers: { origin: ORIGIN } });
  assert.deepEqual(
    [own.status, own.headers.get("access-control-allow-origin")],
    [200, ORIGIN],
  );
  const preflight = await fetch(`${url}/mcp`, {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "POST" },
  });
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"])
    assert.match(
      preflight.headers.get("access-control-allow-headers"),
      new RegExp(name),
    );
});

test("the gateway's errors equal the examples in the document", async () => {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const { responses } = document.paths["/mcp"].post;
  const examples = Object.entries(responses)
    .map(([status, { content }]) => [status, content?.["application/json"]])
    .filter(([status]) => Number(status) >= 400);
  const replies = {
    400: await post(url, "{"),
    401: await post(url, ping, { bearer: null }),
    403: await post(url, ping, {
      headers: { origin: "https://other.example" },
    }),
    404: await modern(url, "resources/list"),
    406: await post(url, ping, { headers: { accept: "text/html" } }),
    413: await post(url, { ...ping, params: { filler: "x".repeat(70_000) } }),
    415: await post(url, ping, { headers: { "content-type": "text/plain" } }),
  };
  for (const [status, { example }] of examples) {
    const reply = replies[status];
    if (!reply) continue;
    assert.equal(String(reply.status), status);
    assert.equal(reply.last.error.code, example.error.code, status);
    assert.equal(reply.last.id, example.id, status);
    // These two depend on the body and on the gateway's settings.
    if (status === "400" || status === "413") continue;
    assert.equal(reply.last.error.message, example.error.message);
    assert.equal(reply.last.error.data?.reason, example.error.data?.reason);
  }
  const without = Object.keys(replies).filter(
    (status) => !(status in responses),
  );
  assert.deepEqual(without, []);
});

test("a request of the newer version is self-contained", async () => {
  const { status, last } = await modern(url, "server/discover");
  const { result } = last;
  assert.equal(status, 200);
  assert.deepEqual(result.supportedVersions, [
    MODERN,
    LEGACY,
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
  ]);
  assert.deepEqual(result.capabilities, {
    tools: {},
    extensions: { [TASKS]: {} },
  });
  assert.deepEqual(
    [result.resultType, result.cacheScope, result.ttlMs > 0],
    ["complete", "public", true],
  );
  assert.equal(
    result._meta["io.modelcontextprotocol/serverInfo"].name,
    "mediagate",
  );

  const wrong = async (options, params) =>
    error(await modern(url, "tools/list", params, options));
  for (const headers of [
    { "mcp-protocol-version": null },
    { "mcp-protocol-version": LEGACY },
    { "mcp-method": null },
    { "mcp-method": "Tools/List" },
  ])
    assert.deepEqual(await wrong({ headers }), [400, -32020]);
  assert.deepEqual(await wrong({ capabilities: null }), [400, -32602]);
  assert.deepEqual(
    await wrong({
      meta: { "io.modelcontextprotocol/protocolVersion": undefined },
    }),
    [400, -32602],
  );
  assert.deepEqual(await wrong({}, { cursor: "x" }), [400, -32602]);
  const odd = await modern(
    url,
    "tools/list",
    {},
    {
      meta: { "io.modelcontextprotocol/protocolVersion": "v9" },
      headers: { "mcp-protocol-version": "v9" },
    },
  );
  assert.deepEqual(
    [
      ...error(odd),
      odd.last.error.data.requested,
      odd.last.error.data.supported[0],
    ],
    [400, -32022, "v9", MODERN],
  );
  for (const method of ["initialize", "ping", "subscriptions/listen", "x"])
    assert.deepEqual(error(await modern(url, method)), [404, -32601], method);
});

test("a tool's name is repeated in a header, encoded if necessary", async () => {
  const call = async (name, header) =>
    error(
      await modern(
        url,
        "tools/call",
        { name, arguments: {} },
        { headers: { "mcp-name": header } },
      ),
    );
  const NAME = "mediagate_list_options";
  for (const [header, expected] of /** @type {[any, any[]][]} */ ([
    [NAME, [200, undefined]],
    [`=?base64?${btoa(NAME)}?=`, [200, undefined]],
    ["mediagate_get_task", [400, -32020]],
    [null, [400, -32020]],
    ["=?base64?####?=", [400, -32020]],
  ]))
    assert.deepEqual(await call(NAME, header), expected, header);
  assert.deepEqual(await call("unknown_tool", "unknown_tool"), [400, -32602]);
});
