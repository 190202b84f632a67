// Models of the AI SDK. Its packages have types of several versions, so a model is known by its shape.
import type { CapabilityName } from "mediagate";
import { base64 } from "./files.js";
import { mapped } from "./mapped.js";
import type { Input, InputFile, Json, Model, Output } from "./model.js";
import { membersOf, ProviderError, variable } from "./provider.js";
import { isRefusal } from "./videos.js";

type Data = string | Uint8Array;
type Warnings = readonly object[];
interface SdkVideo {
  readonly mediaType: string;
  readonly url?: string;
  readonly data?: Data;
}
/** The state of a job: `error`, `completed`, or any other one while it runs. */
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

/** A model of the AI SDK, from version 7 on: `xai.image("…")`, `xai.video("…")`. */
export interface SdkModel {
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
  /** The files that a video refers to. */
  readonly inputReferences?: readonly InputFile[] | undefined;
  /** The provider's own options, by the provider's name. */
  readonly providerOptions?: { readonly [provider: string]: object };
}

/** Models that lose a paid video, or the reason of a failure. */
const REFUSED: Record<string, string> = {
  "fal.video": "reports a failed poll as a failed job; take falModel",
  "google.generative-ai.video":
    "reports refused content as an unreadable response; take veoModel",
};
/** Sends no references, and the video is charged without them. */
const NO_REFERENCES = "replicate.video";

/**
 * A model of the AI SDK, of a provider without an own client here. It reads its key from the
 * environment, in which a Worker with `nodejs_compat` has its variables.
 *
 * @param model - Such as `xai.video("grok-imagine-video")`, of a package for version 7 of the AI SDK.
 * @param key - The variable that contains the key, such as `XAI_API_KEY`.
 * @param map - Returns the request of the AI SDK.
 * @throws {TypeError} for a model that loses paid videos, and for one that can only wait for its video
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
  if (isVideo ? !(model.doStart && model.doStatus) : !model.doGenerate)
    throw new TypeError(
      `${name} has no doStart or doGenerate; take the package for version 7 of the AI SDK`,
    );
  return {
    provider: provider.split(".")[0] ?? provider,
    name,
    variables: [key],
    async start(input, env, ready) {
      variable(env, key);
      const request = async (given: Input<C>) =>
        optionsOf(await map(given), provider);
      const options = await mapped(request, input, ready);
      const { doStart = model.doGenerate } = model;
      const started = await created(doStart?.call(model, options as never));
      const { operation, images = [], warnings } = started;
      return {
        warnings: warnings.map(sentenceOf),
        ...(operation === undefined
          ? { outputs: images.map((data) => outputOf({ data })) }
          : { job: operation as Json }),
      };
    },
    async status(operation) {
      let read: SdkStatus | undefined;
      try {
        read = await model.doStatus?.({ operation } as never);
      } catch (error) {
        const { name, message, statusCode } = membersOf(error);
        // The SDK's packages throw these for a job that has ended without an output.
        const isEnd = /_GENERATION_ERROR$/.test(String(name));
        if (!isEnd) throw problemOf(error, statusCode);
        read = { status: "error", error: String(message) };
      }
      const { error: message = "", videos = [], warnings = [] } = read ?? {};
      if (read?.status === "completed")
        return {
          state: "SUCCEEDED",
          outputs: videos.map(outputOf),
          warnings: warnings.map(sentenceOf),
        };
      if (read?.status !== "error") return { state: "RUNNING" };
      const reason = isRefused(message) ? "content_refused" : undefined;
      const isGone = /\bexpired\b/i.test(message);
      return { state: isGone ? "EXPIRED" : "FAILED", message, reason };
    },
  };
}

/** Returns the options of a call. Each file has its URL, or its bytes if no provider can load it. */
async function optionsOf(request: SdkRequest, provider: string) {
  const { image, files, inputReferences: references, ...others } = request;
  if (references?.length && provider === NO_REFERENCES)
    throw new Error(`${provider} of the AI SDK sends no references`);
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

/**
 * Returns the response to a create. Its errors are told from those of requests that load a picture
 * after the create, which have no body.
 *
 * @throws {ProviderError} with a status from 400 to 499 only if the create was refused
 */
async function created(response: PromiseLike<SdkStarted> | undefined) {
  try {
    return (await response) as SdkStarted;
  } catch (error) {
    const { message, statusCode, requestBodyValues: body } = membersOf(error);
    const isLoad =
      body !== undefined && Object.keys(body as object).length === 0;
    // The sentence of a picture that is held back has no status.
    const status =
      statusCode === undefined && isRefused(message) ? 422 : statusCode;
    throw problemOf(error, isLoad ? undefined : status);
  }
}

/** Returns the error of a provider for one of the SDK, which may have no status. */
function problemOf(error: unknown, code: unknown): unknown {
  const { name, message, responseHeaders } = membersOf(error);
  const status = Number(code) >= 400 ? Number(code) : undefined;
  if (name !== "AI_APICallError" && status === undefined) return error;
  const { "retry-after": retryAfter } = membersOf(responseHeaders);
  return new ProviderError(status, String(message), {
    retryAfter: retryAfter as string | undefined,
    reason: isRefused(message) ? "content_refused" : undefined,
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
