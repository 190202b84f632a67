// A gateway for the tests of a file, and a fake upstream behind it.
import { after } from "node:test";
import { folder } from "./folder.mjs";
import { startGateway } from "./gateway.mjs";
import { request } from "./request.mjs";
import { token } from "./token.mjs";
import { startUpstream } from "./upstream.mjs";

export const TURBO = "generate/image/text_to_image_turbo";

/** The output of a task that has succeeded. Without one, its end counts only after three reads. */
const DONE = { output_url: "https://media.example.com/t.png" };

/** Returns a response with a task's record. */
export const taskResponse = (status, id = "t", more = {}) => ({
  json: {
    code: 0,
    data: {
      task: { id, status, ...(status === "SUCCEEDED" && DONE), ...more },
    },
  },
});

/** The running gateway and its upstream, with the settings and options as JSON. */
let running;
let callers = 0;

after(() => stop());

async function stop() {
  await Promise.all([running?.gateway.stop(), running?.upstream.stop()]);
}

/**
 * Starts a gateway and its upstream. Both go on from the previous test if that had the same
 * settings, since each test has a caller of its own.
 *
 * @param {import("./upstream.mjs").Respond} respond
 * @param {Record<string, any>} [settings]
 * @param {Parameters<typeof startGateway>[1]} [options]
 */
export async function startWorld(respond, settings = {}, options = {}) {
  const key = JSON.stringify([settings, options]);
  if (running?.key !== key) {
    await stop();
    const upstream = await startUpstream(respond);
    const gateway = await startGateway(
      { UPSTREAM_BASE_URL: upstream.url, ...settings },
      options,
    );
    running = { key, upstream, gateway };
  }
  const { upstream, gateway } = running;
  upstream.respond = respond;
  upstream.seen.length = 0;
  const subject = `caller-${++callers}`;
  return { upstream, gateway, subject, ...clientOf(gateway, token(subject)) };
}

/**
 * Starts an upstream, and a gateway that can be restarted on one storage. `client` returns the
 * functions of the running gateway.
 *
 * @param {import("node:test").TestContext} t
 * @param {import("./upstream.mjs").Respond} respond
 * @param {Record<string, any>} [settings]
 */
export async function startRestartable(t, respond, settings = {}) {
  const state = await folder(t);
  const upstream = await startUpstream(respond);
  const all = {
    UPSTREAM_BASE_URL: upstream.url,
    // With a new port, the upstream would be another host, which has another watcher.
    PUBLIC_URL: "https://media.example.com",
    ...settings,
  };
  let gateway = await startGateway(all, { state });
  t.after(() => Promise.all([gateway.stop(), upstream.stop()]));
  /** Kills the gateway, as miniflare sends SIGKILL, and starts it again. */
  const restart = async (between = async () => {}) => {
    await gateway.stop();
    await between();
    gateway = await startGateway(all, { state });
  };
  const client = () => clientOf(gateway);
  const logs = () => gateway.logs.join("\n");
  return { upstream, state, client, logs, restart };
}

/** Returns functions that send requests with this token by default. */
export function clientOf({ url }, bearer = token()) {
  const send = (path, options) => request(url + path, { bearer, ...options });
  const api = (path, options) => send(`/api/app/v1/${path}`, options);
  /**
   * @param {string} [key]
   * @param {import("./request.mjs").RequestOptions & { path?: string }} [options]
   */
  const create = (
    key,
    { path = TURBO, body = { prompt: "p" }, ...options } = {},
  ) =>
    api(path, { body, headers: key && { "idempotency-key": key }, ...options });
  return { url, bearer, send, api, create };
}
