// Google's Gemini API: pictures of Gemini, videos of Veo. Only types of the vendor's client are used.
import type * as Google from "@google/genai";
import type { CapabilityName } from "mediagate";
import { base64 } from "./files.js";
import { type Mapping, mapped } from "./mapped.js";
import type { Env, Input, InputFile, Model, Output, Status } from "./model.js";
import {
  baseUrl,
  ProviderError,
  referenceOf,
  requestJson,
  sentenceIn,
  streamFile,
  variable,
} from "./provider.js";

const KEY = "GEMINI_API_KEY";
/** Reasons of Google, and words of its sentences, about refused content. */
const REFUSALS =
  /SAFETY|PROHIBITED_CONTENT|RECITATION|BLOCKLIST|SPII|usage guidelines|Responsible AI|violate our policies/i;

type PictureFields = Pick<Google.ImageConfig, "aspectRatio" | "imageSize">;

/** A request for a picture. Google loads no URLs, so files are sent as bytes. */
export interface GeminiRequest extends Partial<PictureFields> {
  readonly prompt: string;
  readonly images?: readonly InputFile[];
  readonly seed?: number;
}

type VideoFields = Pick<
  Google.GenerateVideosConfig,
  | "aspectRatio"
  | "durationSeconds"
  | "negativePrompt"
  | "personGeneration"
  | "resolution"
  | "seed"
>;

/** A request for a video. Files are sent as bytes; `image` is the first frame. */
export interface VeoRequest extends Partial<VideoFields> {
  readonly prompt?: string;
  readonly image?: InputFile;
  readonly lastFrame?: InputFile;
  readonly referenceImages?: readonly InputFile[];
}

const GOOGLE = "https://generativelanguage.googleapis.com";
const apiOf = (env: Env) => baseUrl(env, "GEMINI_BASE_URL", GOOGLE);
const headersOf = (env: Env) => ({ "x-goog-api-key": variable(env, KEY) });
const isRefusal = (body: unknown) => REFUSALS.test(sentenceIn(body));
const reasonOf = (isRefused: boolean) =>
  isRefused ? "content_refused" : undefined;
const bytesOf = async (file: InputFile) => base64(await file.bytes());

/** Sends a request once. A 429 has its time in the body, or is about an account without credits. */
async function send<T>(path: string, env: Env, json?: unknown): Promise<T> {
  const request = { headers: headersOf(env), json, isRefusal };
  try {
    return await requestJson<T>(`${apiOf(env)}/v1beta/${path}`, request);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.status !== 429) throw error;
    const { message, body } = error;
    const status = /\bcredits\b/i.test(message) ? 402 : 429;
    const [, retryAfter = error.retryAfter] =
      /"retryDelay":"(\d+)/.exec(JSON.stringify(body) ?? "") ?? [];
    throw new ProviderError(status, message, { retryAfter, body });
  }
}

/** A picture model, such as `gemini-nano-banana-2.1`. The key is the variable `GEMINI_API_KEY`. */
export function geminiModel<
  C extends CapabilityName,
  const R extends GeminiRequest,
>(name: string, map: Mapping<Input<C>, R, GeminiRequest>): Model<C> {
  return {
    provider: "google",
    name,
    variables: [KEY],
    async start(input, env, ready) {
      const body = async (given: Input<C>) => geminiBody(await map(given));
      const json = await mapped(body, input, ready);
      const path = `models/${name}:generateContent`;
      return { outputs: picturesIn(await send(path, env, json)) };
    },
    async status() {
      throw new ProviderError(404, "a picture has no job");
    },
  };
}

async function geminiBody(request: GeminiRequest) {
  const { prompt, images = [], seed, ...imageConfig } = request;
  const partOf = async (file: InputFile) => ({
    inlineData: { mimeType: file.type, data: await bytesOf(file) },
  });
  const parts = [{ text: prompt }, ...(await Promise.all(images.map(partOf)))];
  const contents = [{ role: "user", parts }];
  const responseModalities = ["IMAGE"];
  return {
    contents,
    generationConfig: { responseModalities, imageConfig, seed },
  };
}

/**
 * Returns the pictures of a response, without the drafts in its thoughts.
 *
 * @throws {ProviderError} 422 with the sentence of Google, or of the model, if there is none
 */
function picturesIn(response: Google.GenerateContentResponse): Output[] {
  const { candidates = [], promptFeedback } = response;
  const parts = candidates
    .flatMap(({ content }) => content?.parts ?? [])
    .filter(({ thought }) => !thought);
  const outputs = parts.flatMap(({ inlineData }): Output[] => {
    const { mimeType: type, data } = inlineData ?? {};
    return data ? [{ url: `data:${type};base64,${data}`, type }] : [];
  });
  if (outputs.length > 0) return outputs;
  const { finishReason, finishMessage } = candidates[0] ?? {};
  const blocked = promptFeedback?.blockReason;
  const cause = blocked ?? finishReason;
  // Such a response says nothing, so the picture may have been charged.
  if (cause === undefined)
    throw new ProviderError(undefined, "Google's response has no picture");
  const sentence = sentenceIn(finishMessage ?? parts.map(({ text }) => text));
  const message = sentence || `Google made no picture: ${cause}`;
  const reason = reasonOf(blocked !== undefined || isRefusal(cause));
  throw new ProviderError(422, message, { reason });
}

/** A model of Veo, such as `veo-3.1-generate-preview`. The key is the variable `GEMINI_API_KEY`. */
export function veoModel<C extends CapabilityName, const R extends VeoRequest>(
  name: string,
  map: Mapping<Input<C>, R, VeoRequest>,
): Model<C> {
  return {
    provider: "google",
    name,
    variables: [KEY],
    async start(input, env, ready) {
      const body = async (given: Input<C>) => veoBody(await map(given));
      const json = await mapped(body, input, ready);
      const path = `models/${name}:predictLongRunning`;
      const operation = await send<Operation>(path, env, json);
      return { job: referenceOf(operation.name) };
    },
    status: async (job, env) => statusOf(await send(String(job), env), env),
    open: (file, request, env) =>
      streamFile(apiOf(env) + file, headersOf(env), request),
  };
}

async function veoBody(request: VeoRequest) {
  const { prompt, image, lastFrame, referenceImages = [], ...rest } = request;
  const imageOf = async (file: InputFile | undefined) =>
    file && { bytesBase64Encoded: await bytesOf(file), mimeType: file.type };
  const files = [image, lastFrame, ...referenceImages].map(imageOf);
  const [first, last, ...others] = await Promise.all(files);
  const assets = others.map((each) => ({
    image: each,
    referenceType: "asset",
  }));
  const references = assets.length > 0 && { referenceImages: assets };
  const instance = { prompt, image: first, lastFrame: last, ...references };
  return { instances: [instance], parameters: rest };
}

interface Operation {
  name?: unknown;
  done?: boolean;
  error?: unknown;
  response?: {
    generateVideoResponse?: Google.GenerateVideosResponse & {
      generatedSamples?: Google.GeneratedVideo[];
    };
  };
}

function statusOf({ done, error, response }: Operation, env: Env): Status {
  if (!done) return { state: "RUNNING" };
  const {
    generatedSamples: samples = [],
    raiMediaFilteredCount: count,
    raiMediaFilteredReasons: reasons = count
      ? ["Google has filtered a video"]
      : [],
  } = response?.generateVideoResponse ?? {};
  const outputs = samples.flatMap(({ video }) =>
    video?.uri ? [outputOf(video.uri, env)] : [],
  );
  if (outputs.length > 0)
    return { state: "SUCCEEDED", outputs, warnings: reasons };
  const message = sentenceIn(error ?? reasons) || "Google made no video";
  const reason = reasonOf(reasons.length > 0 || isRefusal(error));
  return { state: "FAILED", message, reason };
}

/** Returns an address of the API by its path, since it needs the key. Other addresses stay. */
function outputOf(uri: string, env: Env): Output {
  const type = "video/mp4";
  const url = new URL(uri, apiOf(env));
  // A signed URL must stay as it is.
  if (url.searchParams.has("key")) url.searchParams.delete("key");
  // Behind another base URL, Google's addresses are its own as well.
  const base = [apiOf(env), GOOGLE].find((api) =>
    url.href.startsWith(`${api}/`),
  );
  if (base === undefined) return { url: url.href, type };
  return { file: url.href.slice(base.length), type };
}
