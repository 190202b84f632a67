// An upstream module for tests, in front of the stand-in of a provider (provider.mjs). It has no
// state: the id of a task contains the id of the provider's job.

const CREATE = /^\/api\/app\/v1\/(?:generate|process)\/\w+\/(\w+)$/;
const STATUS = /^\/api\/app\/v1\/(?:generate|process)\/tasks\/([\w-]+)$/;
const FILE = /^\/files\/([\w-]+)$/;

/** The codes of the service's document for the provider's statuses. */
const CODES = { 401: 13, 422: 12 };

const send = (env, path, init = {}) =>
  fetch(env.PROVIDER_URL + path, {
    ...init,
    headers: { ...init.headers, authorization: `Key ${env.PROVIDER_KEY}` },
  });

/** The models, by which the commands know what the module offers. */
const models = () =>
  Response.json({
    code: 0,
    message: "ok",
    data: {
      models: [
        "text_to_image",
        "image_to_video",
        "omni_reference_to_video",
        "text_to_video",
      ].map((capability) => ({ model_id: `of-${capability}`, capability })),
    },
  });

const ok = (task) =>
  Response.json({
    code: 0,
    message: "ok",
    data: { task: { provider: "stand-in", ...task } },
  });

/** Returns a refusal with the provider's sentence. */
async function refused(response) {
  const { detail = "the provider failed", reason } = await response
    .json()
    .catch(() => ({}));
  return Response.json(
    {
      code: CODES[response.status] ?? 1404,
      message: detail,
      data: reason ? { error: { reason, message: detail } } : null,
    },
    { status: 502 },
  );
}

/** Returns the provider's notation of a file: its URL, or its bytes if no provider can load that. */
async function inputOf(file) {
  if (!file.private) return { url: file.url };
  const bytes = new Uint8Array(await (await fetch(file.url)).arrayBuffer());
  return { size: bytes.length, first: bytes[0] };
}

async function create(env, capability, body) {
  const files = [body.file_id, ...(body.image_file_ids ?? [])].filter(Boolean);
  const response = await send(env, "/jobs", {
    method: "POST",
    body: JSON.stringify({
      capability,
      prompt: body.prompt,
      files: await Promise.all(files.map(inputOf)),
    }),
  });
  if (!response.ok) return refused(response);
  const warnings = body.seed > 0 ? ["seed has no effect"] : [];
  const { id, file } = await response.json();
  return file
    ? ok({ id, state: "SUCCEEDED", outputs: [outputOf(file)], warnings })
    : ok({ id, state: "QUEUED", warnings });
}

const outputOf = ({ id, type }) => ({
  url: `/files/${id}`,
  content_type: type,
});

async function status(env, id) {
  const response = await send(env, `/jobs/${id}`);
  if (response.status === 404)
    return ok({ id, state: "EXPIRED", error: { message: "it is gone" } });
  if (!response.ok) return refused(response);
  const { state, file, error } = await response.json();
  return ok({ id, state, error, outputs: file ? [outputOf(file)] : [] });
}

export default {
  async fetch(request, env) {
    const { pathname: path } = new URL(request.url);
    if (path === "/api/app/v1/models") return models();
    const capability = request.method === "POST" && CREATE.exec(path)?.[1];
    if (capability) return create(env, capability, await request.json());
    const task = STATUS.exec(path)?.[1];
    if (task) return status(env, task);
    const file = FILE.exec(path)?.[1];
    if (file) {
      const { method, headers } = request;
      return send(env, `/files/${file}`, { method, headers });
    }
    return Response.json({ code: 12, message: "unknown path", data: null });
  },
};
