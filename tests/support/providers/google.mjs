// The stand-in of Google's Gemini API: videos of Veo, and pictures of Gemini.
import { BAD_GATEWAY, has, isFlaky, isOver, startServer } from "./server.mjs";

export const KEY = "AIza-canary0123456789";
/** A picture of one pixel, as its bytes in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

const CREATE =
  /^\/v1beta\/(models\/[\w.-]+):(predictLongRunning|generateContent)$/;
const OPERATION = /^\/v1beta\/models\/[\w.-]+\/operations\/([\w-]+)$/;
const FILE = /^\/v1beta\/files\/([a-z0-9]+):download$/;

const problem = (code, status, message, details = []) => ({
  status: code,
  json: { error: { code, message, status, details } },
});
const NO_KEY = problem(
  403,
  "PERMISSION_DENIED",
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
);
const WRONG_KEY = problem(
  400,
  "INVALID_ARGUMENT",
  "API key not valid. Please pass a valid API key.",
  [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
    },
  ],
);
/** The time is in the body only. */
const LIMITED = problem(
  429,
  "RESOURCE_EXHAUSTED",
  "You exceeded your current quota, please check your plan and billing details. Please retry in 7.2s.",
  [
    {
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "7s",
    },
  ],
);
const POOR = problem(
  429,
  "RESOURCE_EXHAUSTED",
  "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.",
);

/**
 * Starts the stand-in; see {@link startServer} for the words of a prompt. Of a video, "sensitive" is
 * refused by an error, "partly" loses one of two, "elsewhere" is on another host, and "keyed" has the
 * key in its URL. Of a picture, "blocked" is refused by its prompt, and "talk" is answered by words.
 */
export const startGoogle = () =>
  startServer((call, { create, jobs, url }) => {
    const key = call.headers["x-goog-api-key"];
    if (key === undefined) return NO_KEY;
    if (key !== KEY) return WRONG_KEY;
    const [, model, method] = CREATE.exec(call.path) ?? [];
    if (call.method === "POST" && method === "generateContent")
      return picture(call.body, model);
    if (call.method === "POST" && method) return submit(call, model, create);
    const id = FILE.exec(call.path)?.[1];
    if (id) return content(call, id, jobs);
    const job = jobs.find(({ id }) => id === OPERATION.exec(call.path)?.[1]);
    if (!job || has(job.input, "state=EXPIRED"))
      return problem(404, "NOT_FOUND", "Operation not found.");
    return isFlaky(job) ? BAD_GATEWAY : { json: operation(job, url) };
  });

/** Returns the fault that a create of any kind has; `undefined` for none. */
function faultOf(input) {
  if (has(input, "status=429")) return LIMITED;
  if (has(input, "status=402")) return POOR;
  return has(input, "html") ? BAD_GATEWAY : undefined;
}

const isNumber = (value) => value === undefined || typeof value === "number";
const isImage = (image) =>
  image === undefined ||
  (typeof image.bytesBase64Encoded === "string" && Boolean(image.mimeType));

function submit({ path, body }, model, create) {
  const [instance] = body.instances ?? [];
  const fault = faultOf(instance);
  if (fault) return fault;
  if (!isNumber(body.parameters?.durationSeconds))
    return problem(
      400,
      "INVALID_ARGUMENT",
      "The value type for `durationSeconds` needs to be a number.",
    );
  const references = instance.referenceImages?.map(({ image }) => image) ?? [];
  if (![instance.image, instance.lastFrame, ...references].every(isImage))
    return problem(
      400,
      "INVALID_ARGUMENT",
      "`bytesBase64Encoded` and `mimeType` are required.",
    );
  return { json: { name: nameOf(create(path, { ...instance, model })) } };
}

const nameOf = ({ id, input }) => `${input.model}/operations/${id}`;
/** The id of a job's file. The vendor's client reads only these characters. */
const fileOf = ({ id }) => id.replace(/[^a-z0-9]/g, "");

const FILTERED = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: [
    "We encountered an issue with the audio for your prompt. You have not been charged for this attempt.",
  ],
};
const ERRORS = [
  [
    "sensitive",
    3,
    "The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI practices. Support codes: 58061214",
  ],
  [
    "state=FAILED",
    13,
    "Video generation failed due to an internal server issue.",
  ],
];

function operation(job, url) {
  const name = nameOf(job);
  if (!isOver(job)) return { name };
  const [, code, message] = ERRORS.find(([word]) => has(job.input, word)) ?? [];
  if (code) return { name, done: true, error: { code, message } };
  const host = has(job.input, "elsewhere") ? "https://x.example" : url;
  const keyed = has(job.input, "keyed") ? `&key=${KEY}` : "";
  const uri = `${host}/v1beta/files/${fileOf(job)}:download?alt=media${keyed}`;
  const samples = { generatedSamples: [{ video: { uri } }] };
  return {
    name,
    done: true,
    response: {
      "@type":
        "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
      generateVideoResponse: {
        ...(!has(job.input, "refuse") && samples),
        ...((has(job.input, "refuse") || has(job.input, "partly")) && FILTERED),
      },
    },
  };
}

function content({ query }, id, jobs) {
  const job = jobs.find((made) => fileOf(made) === id);
  return job && isOver(job) && query.get("alt") === "media"
    ? { isFile: true }
    : problem(404, "NOT_FOUND", "File not found.");
}

const candidate = (finishReason, parts, finishMessage) => ({
  candidates: [
    {
      content: parts && { role: "model", parts },
      finishReason,
      finishMessage,
      index: 0,
    },
  ],
});

function picture({ contents }, model) {
  const [{ text: prompt }] = contents[0].parts;
  const fault = faultOf({ prompt });
  if (fault) return fault;
  const of = (word) => has({ prompt }, word);
  return {
    json: {
      ...answer(of),
      modelVersion: model.slice("models/".length),
    },
  };
}

function answer(of) {
  if (of("blocked"))
    return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
  if (of("refuse"))
    return candidate(
      "IMAGE_SAFETY",
      undefined,
      "Unable to show the generated image. The image was filtered out because it violated Google's policies.",
    );
  if (of("state=FAILED")) return candidate("NO_IMAGE");
  if (of("talk"))
    return candidate("STOP", [{ text: "Which boat do you mean?" }]);
  const inlineData = { mimeType: "image/png", data: PIXEL };
  return candidate("STOP", [
    { thought: true, inlineData: { mimeType: "image/png", data: "ZHJhZnQ=" } },
    { text: "A boat." },
    { inlineData },
  ]);
}
