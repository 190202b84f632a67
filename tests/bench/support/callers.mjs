// Callers of the gateway, each with a token, a file and a task of its own; and the same requests for its peers.
import { token } from "../../support/token.mjs";
import { ORIGIN } from "./workerd.mjs";

const API = "/api/app/v1";
const CREATE = `${API}/generate/video/image_to_video`;
const BODY = { file_id: "f", prompt: "slow push in", aspect_ratio: "16:9", clarity: "720p", duration_seconds: 5 };
const UPLOAD = { file_name: "photo.png", content_type: "image/png", size: 1000 };

/** A request with a token, from the page that is allowed. */
export const request = (bearer, method, path, body, more) => ({
  ...{ method, path, body: body && JSON.stringify(body) },
  headers: { authorization: `Bearer ${bearer}`, origin: ORIGIN, "content-type": "application/json", ...more },
});

/** Sends one and gives `data`. */
export async function ask(url, { path, ...init }) {
  const { code, message, data } = await (await fetch(url + path, init)).json();
  if (code !== 0) throw new Error(`the gateway refused: ${message}`);
  return data;
}

/** Creates a task of this subject and gives its sealed id. */
export async function createdTask(url, subject) {
  const { task } = await ask(url, request(token(subject), "POST", `${API}/generate/image/text_to_image_turbo`, { prompt: "p" }));
  return task.id;
}

/** Listens to a task of this subject until it is over, and gives the number of requests that took. */
export async function listened(url, id, subject = "alice") {
  const { path, ...init } = request(token(subject), "GET", `${API}/tasks/${id}/events`);
  for (let requests = 1; ; requests++) {
    const { status, body } = await fetch(url + path, init);
    if (status !== 200) throw new Error(`the gateway refused a listener with ${status}`);
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) text += part;
    if (text.includes('"SUCCEEDED"')) return requests;
  }
}

/** What asks for the next request of each kind, of a new caller each time; for the gateway, where ids are sealed. */
export async function callers(url, count) {
  const all = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const subject = `subject-${index}`;
      const bearer = token(subject);
      const { file_id } = await ask(url, request(bearer, "POST", `${API}/upload_urls`, UPLOAD));
      return { bearer, file: file_id, task: await createdTask(url, subject) };
    }),
  );
  return requests(all);
}

/** The same for a Worker that passes ids on as they are. */
export const strangers = (count) => requests(Array.from({ length: count }, (_, index) => ({ bearer: token(`subject-${index}`), file: "f", task: `t-${index}` })));

/** As fal's proxy wants them: where to is in a header. */
export function proxied({ status, create }, upstream) {
  const wrap = (it) => ({ ...it, path: "/api/fal/proxy", headers: { ...it.headers, "x-fal-target-url": upstream + it.path } });
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
      return request(bearer, "POST", CREATE, { ...BODY, prompt, file_id: file }, { "idempotency-key": crypto.randomUUID() });
    },
  };
}
