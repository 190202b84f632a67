// Callers of the gateway, each with its own token, file and task, and equal requests for the other
// Workers.
import { onOpenConnection } from "../../support/request.mjs";
import { token } from "../../support/token.mjs";
import { ORIGIN } from "./workerd.mjs";

const API = "/api/app/v1";
const CREATE = `${API}/generate/video/image_to_video`;
const BODY = {
  file_id: "f",
  prompt: "slow push in",
  aspect_ratio: "16:9",
  clarity: "720p",
  duration_seconds: 5,
};
const AT_ONCE = 8;
const UPLOAD = {
  file_name: "photo.png",
  content_type: "image/png",
  size: 1000,
};

export const request = (bearer, method, path, body, more) => ({
  ...{ method, path, body: body && JSON.stringify(body) },
  headers: {
    authorization: `Bearer ${bearer}`,
    origin: ORIGIN,
    "content-type": "application/json",
    ...more,
  },
});

export async function call(url, { path, ...init }) {
  const { code, message, data } = await (await fetch(url + path, init)).json();
  if (code !== 0) throw new Error(`the gateway refused: ${message}`);
  return data;
}

export async function createTask(url, subject, body = {}) {
  const { task } = await call(
    url,
    request(
      token(subject),
      "POST",
      `${API}/generate/image/text_to_image_turbo`,
      { prompt: "p", ...body },
    ),
  );
  return task.id;
}

/** Waits on the event stream of a task until it is over, and returns the number of requests. */
export async function waitOnStream(
  url,
  id,
  subject = "alice",
  signal = undefined,
) {
  const { path, ...init } = request(
    token(subject),
    "GET",
    `${API}/tasks/${id}/events`,
  );
  for (let requests = 1; ; requests++) {
    const { status, body } = await onOpenConnection(() =>
      fetch(url + path, { ...init, signal }),
    );
    if (status !== 200)
      throw new Error(`the gateway refused a subscriber with ${status}`);
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream()))
      text += part;
    if (text.includes('"SUCCEEDED"')) return requests;
  }
}

/**
 * Returns functions for the next request of each kind, from one caller after the other, with sealed
 * ids of the gateway.
 */
export async function callers(url, count) {
  const all = [];
  // Only a few at once: on a slow disk, all of them would take longer than workerd keeps an idle
  // connection open.
  while (all.length < count) {
    const group = Array.from(
      { length: Math.min(AT_ONCE, count - all.length) },
      (_, index) => caller(url, `subject-${all.length + index}`),
    );
    all.push(...(await Promise.all(group)));
  }
  return requests(all);
}

async function caller(url, subject) {
  const bearer = token(subject);
  const { file_id } = await call(
    url,
    request(bearer, "POST", `${API}/upload_urls`, UPLOAD),
  );
  return { bearer, file: file_id, task: await createTask(url, subject) };
}

/** Returns such functions for a Worker that does not seal ids. */
export const plainCallers = (count) =>
  requests(
    Array.from({ length: count }, (_, index) => ({
      bearer: token(`subject-${index}`),
      file: "f",
      task: `t-${index}`,
    })),
  );

/** Returns such functions for fal's proxy, which takes the target in a header. */
export function throughFalProxy({ status, create }, upstream) {
  const wrap = (request) => ({
    ...request,
    path: "/api/fal/proxy",
    headers: {
      ...request.headers,
      "x-fal-target-url": upstream + request.path,
    },
  });
  return { status: () => wrap(status()), create: () => wrap(create()) };
}

function requests(all) {
  let turn = 0;
  const next = () => all[turn++ % all.length];
  return {
    status: () => {
      const { bearer, task } = next();
      return request(bearer, "GET", `${API}/generate/tasks/${task}`);
    },
    create: (prompt = BODY.prompt) => {
      const { bearer, file } = next();
      return request(
        bearer,
        "POST",
        CREATE,
        { ...BODY, prompt, file_id: file },
        { "idempotency-key": crypto.randomUUID() },
      );
    },
  };
}
