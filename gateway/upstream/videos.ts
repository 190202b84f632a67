// Videos in the shape of OpenAI's `/v1/videos`, which OpenRouter, LiteLLM and others have as well.
import type { CapabilityName } from "mediagate";
import type {
  ImageInputReferenceParam,
  VideoCreateParams,
} from "openai/resources/videos";
import { type Mapping, mapped } from "./mapped.js";
import type { Env, Input, JsonObject, Model, Status } from "./model.js";
import {
  baseUrl,
  membersOf,
  referenceOf,
  requestJson,
  sentenceIn,
  streamFile,
  variable,
} from "./provider.js";

/** OpenAI's request without `model`. Files are given by their URL. */
export type OpenAiVideoRequest = Omit<
  VideoCreateParams,
  "model" | "input_reference"
> & { input_reference?: ImageInputReferenceParam };

/** The request for a model: OpenAI's for `sora-2` and its variants, any JSON for another one. */
export type VideoRequest<M extends string> = M extends `sora-2${string}`
  ? OpenAiVideoRequest
  : JsonObject & { readonly prompt: string };

/** The service of a model. By default, it is OpenAI. */
export interface VideosOptions {
  readonly provider?: string;
  /** The variable that contains the key. */
  readonly key?: string;
  /** The variable that contains the base URL, such as `https://openrouter.ai/api/v1`. */
  readonly baseUrl?: string;
  /** The base URL if that variable is not set. Without one, the module needs the variable. */
  readonly defaultBaseUrl?: string;
}

/** The members of a video that OpenAI or OpenRouter document. */
interface Video {
  readonly id?: unknown;
  readonly status?: string;
  readonly progress?: number | null;
  readonly error?: unknown;
}

/**
 * A model behind `/videos` of OpenAI, or of another service with this API. The key is the variable
 * `OPENAI_API_KEY`, the base URL `OPENAI_BASE_URL`, unless `options` name others.
 *
 * @param model - The model's name, such as `sora-2`.
 * @param map - Returns the request without `model`.
 * @param options - The service, if it is not OpenAI.
 */
export function openAiVideos<
  C extends CapabilityName,
  M extends string,
  const R extends VideoRequest<M>,
>(
  model: M,
  map: Mapping<Input<C>, R, VideoRequest<M>>,
  options: VideosOptions = {},
): Model<C> {
  const {
    provider = "openai",
    key = "OPENAI_API_KEY",
    baseUrl: urlName = "OPENAI_BASE_URL",
    defaultBaseUrl = urlName === "OPENAI_BASE_URL"
      ? "https://api.openai.com/v1"
      : undefined,
  } = options;
  const headersOf = (env: Env) => ({
    authorization: `Bearer ${variable(env, key)}`,
  });
  const videosOf = (env: Env) =>
    `${baseUrl(env, urlName, defaultBaseUrl ?? variable(env, urlName))}/videos`;
  const videoUrl = (job: unknown, env: Env) =>
    `${videosOf(env)}/${encodeURIComponent(String(job))}`;
  return {
    provider,
    name: model,
    variables: defaultBaseUrl === undefined ? [key, urlName] : [key],
    async start(input, env, ready) {
      const headers = headersOf(env);
      const json = { ...(await mapped(map, input, ready)), model };
      const { id } = await requestJson<Video>(videosOf(env), {
        headers,
        json,
        isRefusal,
      });
      return { job: referenceOf(id) };
    },
    async status(job, env) {
      const video = await requestJson<Video>(videoUrl(job, env), {
        headers: headersOf(env),
      });
      return statusOf(video, referenceOf(job));
    },
    open: (file, request, env) =>
      streamFile(`${videoUrl(file, env)}/content`, headersOf(env), request),
    async cancel(job, env) {
      await requestJson(videoUrl(job, env), {
        method: "DELETE",
        headers: headersOf(env),
      });
    },
  };
}

function statusOf(video: Video, id: string): Status {
  const message = sentenceIn(video.error) || `the video is ${video.status}`;
  switch (video.status) {
    case "in_progress": {
      const { progress } = video;
      return {
        state: "RUNNING",
        ...(typeof progress === "number" && { progress: progress / 100 }),
      };
    }
    case "completed":
      return {
        state: "SUCCEEDED",
        outputs: [{ file: id, type: "video/mp4" }],
      };
    case "failed": {
      const reason = isRefusal(video) ? "content_refused" : undefined;
      return { state: "FAILED", message, reason };
    }
    case "cancelled":
      return { state: "FAILED", message };
    case "expired":
      return { state: "EXPIRED", message };
    default:
      return { state: "QUEUED" };
  }
}

const CODES = ["moderation_blocked", "content_policy_violation"];
/** The sentences of services that pass on those of their providers, without a code. */
const REFUSALS =
  /content[ _](?:policy|moderation|filter)|moderation|safety system|raiMediaFiltered/i;

/** Returns true if an error says that the provider refuses the content. */
export function isRefusal(body: unknown): boolean {
  const { error } = membersOf(body);
  const { code, metadata } = membersOf(error);
  // OpenRouter lists the reasons of its moderation in `metadata`.
  return (
    CODES.includes(String(code)) ||
    Array.isArray(membersOf(metadata).reasons) ||
    REFUSALS.test(sentenceIn(error))
  );
}
