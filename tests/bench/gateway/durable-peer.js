// A JavaScript Worker that does by hand what the gateway does for a create: it verifies the session
// token and the input, and charges at most once for an idempotency key. One Durable Object per
// subject reserves the key in SQLite before the create is sent, and stores the response. The
// platform holds back every message until the written data is on disk.
import { DurableObject } from "cloudflare:workers";
import { imageToVideo } from "./durable-peer/input.js";
import { json, Refusal } from "./durable-peer/responses.js";
import { subjectOf } from "./durable-peer/session.js";

const CREATE = "/api/app/v1/generate/video/image_to_video";
const TASKS = "/api/app/v1/generate/tasks/";
const DAY_MS = 24 * 60 * 60 * 1000;
const DEADLINE_MS = 30_000;

export default {
  async fetch(request, env) {
    try {
      const origin = request.headers.get("origin");
      if (origin !== null && origin !== env.ALLOWED_ORIGINS)
        throw new Refusal(403, "this origin may not call");
      const { pathname } = new URL(request.url);
      if (pathname === "/healthz") return json(env, 200, { status: "ok" });
      const subject = await subjectOf(request, env.SESSION_SECRET);
      if (request.method === "GET" && pathname.startsWith(TASKS))
        return await status(env, pathname);
      if (request.method === "POST" && pathname === CREATE)
        return await create(env, subject, request);
      throw new Refusal(404, "there is no such path");
    } catch (error) {
      if (error instanceof Refusal)
        return json(env, error.status, { code: 12, message: error.message });
      console.error(error);
      return json(env, 502, {
        code: 13,
        message: "the upstream did not respond",
      });
    }
  },
};

async function status(env, pathname) {
  const response = await upstream(
    env,
    pathname,
    AbortSignal.timeout(DEADLINE_MS),
  );
  return json(env, response.status, response.body);
}

async function create(env, subject, request) {
  const key = request.headers.get("idempotency-key") ?? crypto.randomUUID();
  if (key.length > 255)
    throw new Refusal(400, "the idempotency key is too long");
  const input = imageToVideo(await request.json().catch(() => undefined));
  const { status, body } = await env.CREATES.getByName(subject).create(
    key,
    JSON.stringify(input),
  );
  return json(env, status, body);
}

function upstream(env, path, signal, body) {
  return fetch(env.UPSTREAM_BASE_URL + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${env.UPSTREAM_API_KEY}`,
      "content-type": "application/json",
    },
    body,
    redirect: "manual",
    signal,
  });
}

export class Creates extends DurableObject {
  /** The creates that are being sent, by key. */
  #sending = new Map();

  constructor(context, env) {
    super(context, env);
    this.sql = context.storage.sql;
    this.sql.exec(`CREATE TABLE IF NOT EXISTS creates (
      key TEXT PRIMARY KEY, input TEXT NOT NULL, created_at INTEGER NOT NULL, status INTEGER, body TEXT
    ) WITHOUT ROWID`);
    context.blockConcurrencyWhile(async () => {
      if ((await context.storage.getAlarm()) === null)
        await context.storage.setAlarm(Date.now() + DAY_MS);
    });
  }

  /** Returns the response to a create, which is sent only if the key is new. */
  async create(key, input) {
    const statement =
      "INSERT INTO creates VALUES (?, ?, ?, NULL, NULL) ON CONFLICT DO NOTHING RETURNING 1";
    const isNew =
      this.sql.exec(statement, key, input, Date.now()).toArray().length > 0;
    if (!isNew) return this.#repeat(key, input);
    const sending = this.#send(key, input);
    this.#sending.set(key, sending);
    return sending.finally(() => this.#sending.delete(key));
  }

  #repeat(key, input) {
    const stored = this.sql
      .exec("SELECT input, status, body FROM creates WHERE key = ?", key)
      .one();
    if (stored.input !== input)
      return {
        status: 422,
        body: `{"code":12,"message":"this key was used with another body"}`,
      };
    if (stored.status !== null) return stored;
    // If no such request is being sent, the object was interrupted, and it is unknown whether the
    // task exists.
    return (
      this.#sending.get(key) ?? {
        status: 502,
        body: `{"code":13,"message":"the outcome is unknown"}`,
      }
    );
  }

  async #send(key, input) {
    // Not `AbortSignal.timeout`: its timer outlives the request, and an object may have 10,000.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), DEADLINE_MS);
    const { status, body } = await upstream(
      this.env,
      CREATE,
      controller.signal,
      input,
    )
      .then(async (response) => ({
        status: response.status,
        body: await response.text(),
      }))
      .finally(() => clearTimeout(timer));
    // A refused create was not charged, so its key may be used again.
    if (status >= 400 && status < 500)
      this.sql.exec("DELETE FROM creates WHERE key = ?", key);
    else
      this.sql.exec(
        "UPDATE creates SET status = ?, body = ? WHERE key = ?",
        status,
        body,
        key,
      );
    return { status, body };
  }

  async alarm() {
    this.sql.exec(
      "DELETE FROM creates WHERE created_at < ?",
      Date.now() - DAY_MS,
    );
    await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
  }
}
