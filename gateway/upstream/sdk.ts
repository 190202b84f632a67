// Models of the AI SDK, by their shape: the types of its packages differ between versions.
import type { CapabilityName } from "mediagate";
import { base64 } from "./files.js";
import { mapped } from "./mapped.js";
import type { Input, InputFile, Json, Model, Output, Status } from "./model.js";
import { MAX_MESSAGE, membersOf, ProviderError, variable } from "./provider.js";
import { isRefusal } from "./videos.js";

type Data = string | Uint8Array;
type Warnings = readonly object[];
interface SdkVideo {
  readonly mediaType: string;
  readonly url?: string;
  readonly data?: Data;
}
/** The state of a job: `pending`, `error` or `completed`. */
interface SdkStatus {
  readonly status: string;
  readonly error?: string;
  readonly videos?: readonly SdkVideo[];
  readonly warnings?: Warnings;
}
interface SdkStarted {
  readonly operation?: unknown;
  readonly images?: readonly Data[];
  readonly warnings: Warnings;
}

/** A model of version 7 of the AI SDK: `xai.image("…")`, `xai.video("…")`. */
export interface SdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Only models of videos have this member. */
  readonly maxVideosPerCall?: unknown;
  doGenerate?(
    options: never,
  ): PromiseLike<SdkStarted & ({ images: object } | { videos: object })>;
  doStart?(options: never): PromiseLike<SdkStarted>;
  doStatus?(options: never): PromiseLike<SdkStatus>;
}

/** A request of the AI SDK. Its provider warns of what a model does not take. */
export interface SdkRequest {
  readonly prompt?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly seed?: number | undefined;
  /** The provider's own options, by the provider's name. */
  readonly providerOptions?: { readonly [provider: string]: object };
  /** Of a picture, such as `1024x1024`. */
  readonly size?: string | undefined;
  /** The pictures that a picture is made of. */
  readonly files?: readonly InputFile[] | undefined;
  /** Of a video, in seconds. */
  readonly duration?: number | undefined;
  /** Of a video, such as `1280x720`. */
  readonly resolution?: string | undefined;
  readonly generateAudio?: boolean | undefined;
  /** The first picture of a video. */
  readonly image?: InputFile | undefined;
  readonly inputReferences?: readonly InputFile[] | undefined;
}

const OF_PICTURES = ["size", "files"] as const;
const OF_VIDEOS = [
  ...(["duration", "resolution", "generateAudio"] as const),
  ...(["image", "inputReferences"] as const),
];

/** The faults of models that lose a paid result, or the reason of a failure, by provider. */
const REFUSED: Record<string, string> = {
  "fal.video": "reports a failed poll as a failed job; take falModel",
  replicate: "reports refused content as a mistake; take replicateModel",
  "google.generative-ai":
    "drops pictures by URL, and refusals; take veoModel or geminiModel",
};

/** Returns the field that a model drops without a warning, if the request has such a one. */
function droppedIn(request: SdkRequest, model: SdkModel): string | undefined {
  const { image, inputReferences } = request;
  const { provider, modelId } = model;
  const isVideo = "maxVideosPerCall" in model;
  const foreign = isVideo ? OF_PICTURES : OF_VIDEOS;
  const takesImage = /-i2v|^wan3/.test(modelId) || !/^alibaba\b/.test(provider);
  if (image && !takesImage) return "image";
  if (inputReferences?.length && provider === "replicate.video")
    return "inputReferences";
  return foreign.find((name) => request[name] !== undefined);
}

/**
 * A model of the AI SDK, of a provider without an own client here. It reads its key from the
 * environment, in which a Worker with `nodejs_compat` has its variables.
 *
 * @param model - Such as `xai.video("grok-imagine-video")`.
 * @param key - The variable that contains the key, such as `XAI_API_KEY`.
 * @param map - Returns the request of the AI SDK.
 * @throws {TypeError} for a model that loses paid results, and for a model of another version
 */
export function sdkModel<C extends CapabilityName>(
  model: SdkModel,
  key: string,
  map: (input: Input<C>) => SdkRequest | Promise<SdkRequest>,
): Model<C> {
  const { provider, modelId: name } = model;
  const fault = REFUSED[provider];
  if (fault) throw new TypeError(`${provider} of the AI SDK ${fault}`);
  const isVideo = "maxVideosPerCall" in model;
  const send = isVideo ? model.doStart : model.doGenerate;
  if (model.specificationVersion !== "v4" || !send)
    throw new TypeError(
      `${name} is of another version; take the package for version 7 of the AI SDK`,
    );
  const toOptions = async (input: Input<C>) => {
    const request = await map(input);
    const dropped = droppedIn(request, model);
    if (dropped) throw new Error(`${name} would drop ${dropped}`);
    return optionsOf(request);
  };
  return {
    provider: provider.split(".")[0] ?? provider,
    name,
    variables: [key],
    async start(input, env, ready) {
      variable(env, key);
      const options = await mapped(toOptions, input, ready);
      const started = await created(send.call(model, options as never));
      const { operation: job, images = [] } = started;
      const warnings = started.warnings.map(sentenceOf);
      if (job != null) return { job: job as Json, warnings };
      if (isVideo)
        throw new ProviderError(undefined, "the provider names no job");
      if (images.length === 0)
        throw new ProviderError(422, "the provider has made no picture");
      return { outputs: images.map((data) => outputOf({ data })), warnings };
    },
    async status(operation) {
      try {
        return statusOf(await model.doStatus?.({ operation } as never));
      } catch (error) {
        const { name: word, message, statusCode } = membersOf(error);
        // The SDK's packages throw these for a job that has ended without an output.
        if (/_GENERATION_ERROR$/.test(String(word)))
          return statusOf({ status: "error", error: String(message) });
        throw problemOf(error, statusCode);
      }
    },
  };
}

function statusOf(read: SdkStatus | undefined): Status {
  const { error = "", videos = [], warnings = [] } = read ?? {};
  if (read?.status === "completed")
    return {
      state: "SUCCEEDED",
      outputs: videos.map(outputOf),
      warnings: warnings.map(sentenceOf),
    };
  if (read?.status !== "error") return { state: "RUNNING" };
  const message = error.slice(0, MAX_MESSAGE);
  const reason = isRefused(message) ? "content_refused" : undefined;
  const isGone = /generation request expired/i.test(message);
  return { state: isGone ? "EXPIRED" : "FAILED", message, reason };
}

/** Returns the options of a call. A file has its bytes instead of its URL if no provider loads that. */
async function optionsOf(request: SdkRequest) {
  const { image, files, inputReferences: references, ...others } = request;
  const filesOf = (list: readonly InputFile[]) => Promise.all(list.map(fileOf));
  return {
    n: 1,
    providerOptions: {},
    ...others,
    ...(image && { image: await fileOf(image) }),
    ...(files && { files: await filesOf(files) }),
    ...(references && { inputReferences: await filesOf(references) }),
  };
}

async function fileOf(file: InputFile) {
  const { url, type: mediaType } = file;
  if (!url.startsWith("data:")) return { type: "url", url, mediaType };
  return { type: "file", data: await file.bytes(), mediaType };
}

/** Errors that the SDK throws before a request. */
const BEFORE: Record<string, number> = {
  AI_LoadAPIKeyError: 401,
  AI_InvalidArgumentError: 422,
  AI_UnsupportedFunctionalityError: 422,
};

/**
 * Returns the response to a create. A later request that loads the picture, which has no body, does
 * not refuse the create if it fails.
 *
 * @throws {ProviderError} with a status from 400 to 499 only if the create was refused
 */
async function created(response: PromiseLike<SdkStarted>) {
  try {
    return await response;
  } catch (error) {
    const { name, statusCode, ...rest } = membersOf(error);
    const { requestBodyValues: body } = rest;
    const isLoad =
      body !== undefined && Object.keys(body as object).length === 0;
    if (isLoad) throw problemOf(error, undefined);
    // The sentence of a picture that is held back has no status.
    const held = isRefused(membersOf(error).message) ? 422 : undefined;
    throw problemOf(error, statusCode ?? BEFORE[String(name)] ?? held);
  }
}

/** Returns the provider's error for an error of the SDK. `code` is its status, if it has one. */
function problemOf(error: unknown, code: unknown): unknown {
  const { name, message, data, responseHeaders } = membersOf(error);
  const status = Number(code) >= 400 ? Number(code) : undefined;
  if (name !== "AI_APICallError" && status === undefined) return error;
  const { "retry-after": retryAfter } = membersOf(responseHeaders);
  const hasReason = isRefused(message) || isRefusal(data);
  return new ProviderError(status, String(message).slice(0, MAX_MESSAGE), {
    retryAfter: retryAfter as string | undefined,
    reason: hasReason ? "content_refused" : undefined,
  });
}

const isRefused = (message: unknown) => isRefusal({ error: { message } });

/** Returns the sentence of a warning, which has a `message`, or else a `feature` and `details`. */
const sentenceOf = (warning: object) => {
  const { message, feature, details, type } = membersOf(warning);
  return String(message ?? `${feature}: ${details ?? type}`);
};

/** The first characters of a picture in base64, and its type. The SDK tells no type. */
const TYPES = { iVBOR: "image/png", "/9j/": "image/jpeg", UklGR: "image/webp" };

/** Returns an output, with its bytes in a `data:` URL if it has no URL. */
function outputOf({ url, data = "", mediaType }: Partial<SdkVideo>): Output {
  if (url !== undefined) return { url, type: mediaType };
  const text = typeof data === "string" ? data : base64(data);
  const known = Object.entries(TYPES).find(([start]) => text.startsWith(start));
  const type = mediaType ?? known?.[1] ?? "image/png";
  return { url: `data:${type};base64,${text}`, type };
}
