// Tasks of Runway. The vendor's client sends a create up to three times, so only its types are used.
import type Runway from "@runwayml/sdk";
import type { CapabilityName } from "mediagate";
import { type Mapping, mapped } from "./mapped.js";
import type { Env, Input, Model, Status } from "./model.js";
import {
  addressesIn,
  baseUrl,
  referenceOf,
  requestJson,
  variable,
} from "./provider.js";

const KEY = "RUNWAYML_API_SECRET";
const VERSION = "2024-11-06";

/** The request of each endpoint, by its path below `/v1`. */
export interface RunwayRequests {
  avatar_videos: Runway.AvatarVideoCreateParams;
  character_performance: Runway.CharacterPerformanceCreateParams;
  image_to_video: Runway.ImageToVideoCreateParams;
  text_to_image: Runway.TextToImageCreateParams;
  text_to_video: Runway.TextToVideoCreateParams;
  video_to_video: Runway.VideoToVideoCreateParams;
}

const headersOf = (env: Env) => ({
  authorization: `Bearer ${variable(env, KEY)}`,
  "x-runway-version": VERSION,
});
const apiOf = (env: Env) =>
  `${baseUrl(env, "RUNWAYML_BASE_URL", "https://api.dev.runwayml.com")}/v1`;
const taskUrl = (job: unknown, env: Env) =>
  `${apiOf(env)}/tasks/${encodeURIComponent(String(job))}`;

/** A model of Runway. The key is the variable `RUNWAYML_API_SECRET`. */
export function runwayModel<
  C extends CapabilityName,
  E extends keyof RunwayRequests,
  const R extends RunwayRequests[E],
>(endpoint: E, map: Mapping<Input<C>, R, RunwayRequests[E]>): Model<C> {
  return {
    provider: "runway",
    name: `runway/${endpoint}`,
    variables: [KEY],
    async start(input, env, ready) {
      const headers = headersOf(env);
      const json = await mapped(map, input, ready);
      const { id } = await requestJson<{ id?: unknown }>(
        `${apiOf(env)}/${endpoint}`,
        { headers, json },
      );
      return { job: referenceOf(id) };
    },
    async status(job, env) {
      const task = await requestJson<Runway.TaskRetrieveResponse>(
        taskUrl(job, env),
        { headers: headersOf(env) },
      );
      return statusOf(task);
    },
    async cancel(job, env) {
      await requestJson(taskUrl(job, env), {
        method: "DELETE",
        headers: headersOf(env),
      });
    },
  };
}

function statusOf(task: Runway.TaskRetrieveResponse): Status {
  switch (task.status) {
    case "RUNNING":
      return { state: "RUNNING", progress: task.progress };
    case "SUCCEEDED":
      return { state: "SUCCEEDED", outputs: addressesIn(task.output) };
    case "FAILED": {
      // Such as SAFETY.INPUT.TEXT, and INPUT_PREPROCESSING.SAFETY.TEXT.
      const isRefused = /(?:^|\.)SAFETY\./.test(task.failureCode ?? "");
      const reason = isRefused ? "content_refused" : undefined;
      return { state: "FAILED", message: task.failure, reason };
    }
    case "CANCELLED":
      return { state: "FAILED", message: "the task was cancelled" };
    default:
      return { state: "QUEUED" };
  }
}
