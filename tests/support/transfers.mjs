// Starts a media host with outputs, a storage, an upstream between them, and a gateway that moves
// outputs.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { folder } from "./folder.mjs";
import { startGateway } from "./gateway.mjs";
import { KEEP_ALIVE, listen } from "./listen.mjs";
import { request } from "./request.mjs";
import { TURBO } from "./world.mjs";

/** The content of most outputs. A file that begins like text would count as a page. */
export const BYTES = Buffer.concat([Buffer.of(0), randomBytes(299_999)]);

/**
 * @typedef {(
 *   request: import("node:http").IncomingMessage,
 *   response: import("node:http").ServerResponse,
 * ) => unknown} Serve
 */

/**
 * Hashes stored bytes, to compare them.
 *
 * @param {Buffer} bytes
 */
export const sha256 = (bytes) =>
  createHash("sha256").update(bytes).digest("hex");

/**
 * Starts a server. `seen` lists the method and the path of each request.
 *
 * @param {Serve} respond
 */
export async function serve(respond) {
  const seen = [];
  const server = createServer(KEEP_ALIVE, (incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    respond(incoming, response);
  });
  const url = await listen(server);
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return { url, seen, stop };
}

/**
 * Returns a response with a file. Without a type, it has no `Content-Type`.
 *
 * @param {string | undefined} type
 * @param {Buffer | string} [content]
 * @returns {Serve}
 */
export const file =
  (type, content = BYTES) =>
  (_, response) =>
    response
      .writeHead(200, {
        "content-length": Buffer.byteLength(content),
        ...(type && { "content-type": type }),
      })
      .end(content);

/** Responds with an envelope. */
export const json = (response, data, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ code: 0, message: "", data }));
};

/**
 * Starts a storage. `stored` lists the uploads that arrived whole, and `aborted` the lengths of the
 * others. `status` is the status of its responses. With `refusesWith`, it responds with that status
 * before the body has arrived; with `isHasty`, with 200. `arrived` is called when an upload begins.
 */
export async function startStorage(arrived = async () => {}) {
  const storage = {
    stored: [],
    aborted: [],
    status: 200,
    refusesWith: undefined,
    isHasty: false,
  };
  const server = await serve(async (incoming, response) => {
    await arrived();
    if (storage.refusesWith)
      return response.writeHead(storage.refusesWith).end();
    if (storage.isHasty) response.writeHead(200).end();
    const chunks = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return storage.aborted.push(Buffer.concat(chunks).length);
    }
    const { url: path, method, headers } = incoming;
    const body = Buffer.concat(chunks);
    storage.stored.push({ path, method, headers, body, hash: sha256(body) });
    if (!storage.isHasty) response.writeHead(storage.status).end();
  });
  return Object.assign(storage, server);
}

/**
 * Starts a gateway that may move a media host's files. A task created as `name` has the host's path
 * `/name` as its output, unless `outputs` has others. `fields` are the form fields that the storage
 * requires.
 *
 * @param {import("node:test").TestContext} t
 * @param {Record<string, Serve>} paths the host's responses by their paths
 * @param {{ settings?: Record<string, string>, persist?: boolean }} [options] `persist` lets the
 *   gateway be restarted
 */
export async function startTransfers(
  t,
  paths,
  { settings = {}, persist = false } = {},
) {
  const state = persist ? await folder(t) : undefined;
  const host = await serve((incoming, response) => {
    const answer = paths[incoming.url] ?? (() => response.writeHead(404).end());
    answer(incoming, response);
  });
  const storage = await startStorage();
  const uploads = [];
  const outputs = {};
  const fields = {};
  /** @type {string[]} the ids of the tasks that were read */
  const polls = [];
  /** @type {any[]} the bodies of creates that reached the upstream */
  const created = [];
  /** @type {Set<string>} the ids of tasks that have ended */
  const ended = new Set();
  const upstream = await serve(async (incoming, response) => {
    const body = await text(incoming);
    if (incoming.url.endsWith("/upload_urls")) {
      uploads.push(JSON.parse(body));
      const upload_url = `${storage.url}/${uploads.length}`;
      const file_id = `file-${uploads.length}`;
      return json(response, { upload_url, file_id, fields });
    }
    const id =
      incoming.method === "POST"
        ? JSON.parse(body).prompt
        : incoming.url.split("/").pop();
    if (incoming.method === "GET") polls.push(id);
    else created.push(JSON.parse(body));
    const list = (outputs[id] ?? [`${host.url}/${id}`]).map((output) =>
      typeof output === "string" ? { url: output } : output,
    );
    const status =
      id.startsWith("running") && !ended.has(id) ? "RUNNING" : "SUCCEEDED";
    json(response, {
      task: { id, status, outputs: status === "RUNNING" ? [] : list },
    });
  });
  const start = () =>
    startGateway(
      {
        UPSTREAM_BASE_URL: upstream.url,
        UPSTREAM_MODELS_PATH: "",
        OUTPUT_HOSTS: new URL(host.url).host,
        INPUT_HOSTS: new URL(host.url).host,
        UPSTREAM_TIMEOUT_MS: "10000",
        ...settings,
      },
      { state },
    );
  let gateway = await start();
  t.after(() =>
    Promise.all(
      [gateway, host, storage, upstream].map((server) => server.stop()),
    ),
  );
  const restart = async (between = async () => {}) => {
    await gateway.stop();
    await between();
    gateway = await start();
  };
  const send = (path, init) =>
    request(`${gateway.url}/api/app/v1/${path}`, init);
  const create = async (name, init = {}) =>
    (await send(TURBO, { body: { prompt: name }, ...init })).data.task.id;
  const move = async (task_id, output, init = {}) =>
    send("files", { body: { task_id, output }, ...init });
  /** Repeats the request until the transfer is over. */
  const moveToEnd = async (task_id) => {
    let reply;
    do reply = await move(task_id);
    while (reply.data?.loaded !== undefined);
    return reply;
  };
  return {
    gateway: gateway.url,
    logs: gateway.logs,
    ended,
    host,
    storage,
    upstream,
    outputs,
    fields,
    uploads,
    polls,
    created,
    send,
    create,
    move,
    moveToEnd,
    restart,
    state,
  };
}

/** Returns the reason of a refusal, which has one status and code. */
export const reasonOf = ({ data }) => data?.reason;
