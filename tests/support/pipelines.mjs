// Starts an upstream whose tasks do what their prompts say, a storage, a media host, and a gateway
// that runs pipelines.
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "./folder.mjs";
import { startGateway } from "./gateway.mjs";
import { request } from "./request.mjs";
import { BYTES, json, serve, startStorage } from "./transfers.mjs";

/** Milliseconds that a pipeline has to reach an expected state, also on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The `Retry-After` of the first create with such a prompt, in seconds. */
const RETRY_AFTER = { later: "30" };

/** Returns a step that makes a picture. Its prompt decides its outcome. */
export const picture = (prompt, more = {}) => ({
  capability: "text_to_image_turbo",
  input: { prompt, ...more },
});

/** Returns a step that makes a video of a picture. */
export const clip = (file_id, prompt = "clip") => ({
  capability: "image_to_video",
  input: { file_id, prompt },
});

/** Returns the states of the steps, by their names. */
export const states = (pipeline) =>
  Object.fromEntries(pipeline.steps.map((step) => [step.name, step.state]));

/**
 * Returns the upstream's behaviour. The first word of a create's prompt or text decides the
 * outcome. `world.creates` lists every create that arrived.
 *
 * - `fail`: its task fails; once `world.mended` is true, a new one succeeds
 * - `slow`: its task runs until `world.released` is true
 * - `lost`: the connection breaks after the create
 * - `later`: the first one is refused with 429, for half a minute
 * - `full`: every one is refused with 429, once `world.released` is true
 * - `poor`: refused with 402 until `world.mended` is true
 */
function respond(world) {
  const tasks = new Map();
  return async (incoming, response) => {
    const body = await text(incoming);
    await world.arrived();
    if (incoming.url.endsWith("/upload_urls")) {
      world.uploads += 1;
      return json(response, {
        upload_url: `${world.storage.url}/${world.uploads}`,
        file_id: `file-${world.uploads}`,
      });
    }
    if (incoming.method === "POST")
      return create(world, tasks, incoming.url, JSON.parse(body), response);
    const id = incoming.url.split("/").pop();
    const task = tasks.get(id);
    if (!task)
      return response
        .writeHead(404, { "content-type": "application/json" })
        .end(`{"code":12,"data":null}`);
    return json(response, { task: record(world, id, task) });
  };
}

async function create(world, tasks, url, body, response) {
  const word = String(body.prompt ?? body.text ?? "").split(" ")[0];
  const refuse = (status, code, message, headers = {}) => {
    response.writeHead(status, {
      "content-type": "application/json",
      ...headers,
    });
    return response.end(JSON.stringify({ code, message, data: null }));
  };
  const isFirst = !world.creates.some(
    (earlier) => earlier.body.prompt === body.prompt,
  );
  if (word in RETRY_AFTER && isFirst) {
    world.creates.push({ url, body, refused: true });
    return refuse(429, 16, "busy", { "retry-after": RETRY_AFTER[word] });
  }
  if (word === "full") {
    world.creates.push({ url, body, refused: true });
    while (!world.released) await sleep(10);
    return refuse(429, 16, "full", { "retry-after": "1" });
  }
  if (word === "poor" && !world.mended) return refuse(402, 1401, "no credits");
  world.creates.push({ url, body });
  const id = `task-${world.creates.length}`;
  tasks.set(id, { word, path: url, mended: world.mended });
  if (word === "lost") return response.destroy();
  return json(response, { task: { id, status: "QUEUED" } });
}

function record(world, id, { word, path, mended }) {
  if (word === "slow" && !world.released)
    return { id, status: "RUNNING", progress: 0.5 };
  if (word === "fail" && !mended)
    return {
      id,
      status: "FAILED",
      error: { code: 1404, message: "it went wrong" },
    };
  const extension = path.includes("/video/") ? "mp4" : "png";
  return {
    id,
    status: "SUCCEEDED",
    outputs: [{ url: `${world.host.url}/${id}.${extension}` }],
  };
}

/**
 * @typedef {object} Options
 * @property {Record<string, string>} [settings]
 * @property {boolean} [persist] lets the gateway be restarted
 * @property {(settings: Record<string, string>, options: { state?: string }) => Promise<Gateway>}
 *   [launch] starts the gateway
 *
 * @typedef {{ url: string, stop: () => Promise<void> }} Gateway `stop` kills it
 */

/**
 * Starts a gateway that runs pipelines.
 *
 * @param {import("node:test").TestContext} t
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function startPipelines(
  t,
  { settings = {}, persist = false, launch = startGateway } = {},
) {
  const state = persist ? await folder(t) : undefined;
  const world = {
    creates: [],
    uploads: 0,
    released: false,
    mended: false,
    requests: 0,
    arrived,
  };
  /**
   * Called when a request arrives at one of the gateway's servers. At the chosen request, it kills
   * the gateway: the server still does its work, and its response is lost.
   */
  async function arrived() {
    world.requests += 1;
    if (world.requests === world.killAt) await restart();
  }
  const host = await serve(async (incoming, response) => {
    await world.arrived();
    const type = incoming.url.endsWith("mp4") ? "video/mp4" : "image/png";
    response
      .writeHead(200, { "content-type": type, "content-length": BYTES.length })
      .end(BYTES);
  });
  const storage = await startStorage(arrived);
  Object.assign(world, { host, storage });
  const upstream = await serve(respond(world));
  const all = {
    UPSTREAM_BASE_URL: upstream.url,
    UPSTREAM_MODELS_PATH: "",
    OUTPUT_HOSTS: new URL(host.url).host,
    ...settings,
  };
  let gateway = await launch(all, { state });
  t.after(() =>
    Promise.all(
      [gateway, host, storage, upstream].map((server) => server.stop()),
    ),
  );
  const send = (path, init) =>
    request(`${gateway.url}/api/app/v1/${path}`, init);
  const start = async (steps, init = {}) =>
    send("pipelines", { body: { steps }, ...init });
  /** Starts a pipeline, and resolves to its id. */
  const begin = async (steps, init) => {
    const reply = await start(steps, init);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.data.pipeline.id;
  };
  const read = async (id, init) =>
    (await send(`pipelines/${id}`, init)).data.pipeline;
  /** Reads a pipeline until a condition holds for it. */
  const until = async (id, holds, init) => {
    for (const end = Date.now() + TIMEOUT_MS; ; ) {
      // While the gateway restarts, there is no response.
      const pipeline = await read(id, init).catch(() => undefined);
      if (pipeline && holds(pipeline)) return pipeline;
      if (Date.now() > end)
        throw new Error(
          `the pipeline has not become as expected: ${JSON.stringify(pipeline)}`,
        );
      await sleep(50);
    }
  };
  const ended = (id, init) =>
    until(id, (pipeline) => pipeline.state !== "RUNNING", init);
  /** Kills the gateway, and starts it again with the same storage. */
  async function restart(changes = {}, between = async () => {}) {
    await gateway.stop();
    await between();
    gateway = await launch({ ...all, ...changes }, { state });
  }
  const url = () => gateway.url;
  return Object.assign(world, {
    send,
    start,
    begin,
    read,
    until,
    ended,
    restart,
    url,
    upstream,
    state,
  });
}
