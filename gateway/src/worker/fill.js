// Serves by the emulator what an upstream module does not offer, for `dev --fill-with-emulator`.

/**
 * @typedef {{ waitUntil(promise: Promise<unknown>): void }} Context
 * @typedef {Record<string, string>} Env
 * @typedef {{ fetch(request: Request, env: Env, context: Context): Promise<Response> }} Module
 */

const API = "/api/app/v1";
const CREATE = new RegExp(`^${API}/(?:generate|process)/\\w+/(\\w+)$`);
const TASK = new RegExp(`^${API}/(?:generate|process)/tasks/(.+)$`);
/** The start of the ids of the emulator's tasks. */
const PREFIX = "emulator-";
/** The name of its models. The playground marks a capability by it. */
const MODEL = "emulator";
const IS_OF_FILES = /(?:^|_)file_ids?$/;

/**
 * Returns a module that sends to the emulator what `own` does not offer.
 *
 * @param {Module} own
 * @returns {Module}
 */
export const filled = (own) => ({
  async fetch(request, { EMULATOR_URL, EMULATOR_KEY, ...env }, context) {
    const { pathname: path } = new URL(request.url);
    /** @param {string} to @param {RequestInit} [options] */
    const emulator = (to, options) =>
      fetch(EMULATOR_URL + to, {
        ...options,
        headers: {
          authorization: `Bearer ${EMULATOR_KEY}`,
          "content-type": "application/json",
        },
      });
    const listOwn = async () => {
      const list = new Request(`http://module${API}/models`);
      const response = await own.fetch(list, env, context);
      return { response, body: await response.clone().json() };
    };
    const isOwn = async (capability) => {
      const { body } = await listOwn();
      // Without its key, the module lists none, and says so for each create.
      const models = body.data?.models;
      return !models || models.some((model) => model.capability === capability);
    };

    const id = TASK.exec(path)?.[1];
    if (id?.startsWith(PREFIX)) {
      const { method } = request;
      return marked(await emulator(path.replace(PREFIX, ""), { method }));
    }
    if (path === `${API}/models`) {
      const { response, body } = await listOwn();
      if (body.code !== 0) return response;
      const { data } = await (await emulator(path)).json();
      const models = withRest(body.data.models, data.models);
      // Beside its models, the emulator lists its avatars and voices.
      return Response.json({ ...body, data: { ...data, models } });
    }
    const isEstimate = path === `${API}/credits/estimate`;
    const named = CREATE.exec(path)?.[1];
    if (request.method !== "POST" || !(isEstimate || named))
      return own.fetch(request, env, context);
    const given = await request.clone().json();
    const capability = named ?? given.capability;
    if (await isOwn(capability)) return own.fetch(request, env, context);
    const { model_id: _model, capability: _named, ...fields } = given;
    const input = await withUploads(fields, emulator);
    const body = isEstimate ? { capability, input } : input;
    const response = await emulator(path, {
      method: "POST",
      body: JSON.stringify(body),
    });
    return isEstimate ? response : marked(response);
  },
});

/** Returns the models of the module, and one for each further capability of the emulator. */
function withRest(own, others) {
  const taken = own.map((model) => model.capability);
  const rest = new Map();
  for (const { capability, missing } of others) {
    if (taken.includes(capability)) continue;
    const model = { model_id: MODEL, capability, generation_options: {} };
    rest.set(capability, { ...model, missing });
  }
  return [...own, ...rest.values()];
}

/** Returns a response of the emulator, whose task has an id that leads back to it. */
async function marked(response) {
  const body = await response.json();
  const task = body.data?.task;
  const data = task
    ? { task: { ...task, id: PREFIX + task.id, provider: "emulator" } }
    : body.data;
  return Response.json({ ...body, data }, { status: response.status });
}

/** Uploads the files of a request to the emulator, which takes files by their ids. */
async function withUploads(fields, emulator) {
  const entries = Object.entries(fields).map(async ([name, value]) => {
    if (!IS_OF_FILES.test(name) || value === null) return [name, value];
    const ids = await Promise.all(
      // An estimate may have the ids of files instead.
      [value]
        .flat()
        .map((file) =>
          typeof file === "object" ? upload(file, emulator) : file,
        ),
    );
    return [name, Array.isArray(value) ? ids : ids[0]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function upload({ url, name, type, size }, emulator) {
  const created = await emulator(`${API}/upload_urls`, {
    method: "POST",
    body: JSON.stringify({ file_name: name, content_type: type, size }),
  });
  const { data } = await created.json();
  const { body } = await fetch(url);
  const stored = await fetch(data.upload_url, {
    method: "PUT",
    headers: { "content-type": type, "content-length": String(size) },
    body,
  });
  if (!stored.ok)
    throw new Error(`the emulator does not take ${name} (${stored.status})`);
  return data.file_id;
}
