// fal's queue. The vendor's client sends a create again after 502 and 504, so only its types are used.
import type { EndpointTypeMap } from "@fal-ai/client/endpoints";
import type { CapabilityName } from "mediagate";
import { type Mapping, mapped } from "./mapped.js";
import type { Env, Input, Model, Output, Status } from "./model.js";
import {
  baseUrl,
  filesIn,
  membersOf,
  ProviderError,
  referenceOf,
  requestJson,
  variable,
} from "./provider.js";

const KEY = "FAL_KEY";
const NAMESPACES = ["workflows", "comfy"];

export type FalEndpoint = keyof EndpointTypeMap & string;

const headersOf = (env: Env) => ({
  authorization: `Key ${variable(env, KEY)}`,
});
const queueOf = (env: Env) =>
  baseUrl(env, "FAL_QUEUE_URL", "https://queue.fal.run");

/**
 * A model of fal. The key is the variable `FAL_KEY`.
 *
 * @param endpoint - Such as `fal-ai/flux/dev`.
 * @param outputs - Returns the outputs of a result; by default every file in it.
 */
export function falModel<
  C extends CapabilityName,
  E extends FalEndpoint,
  const R extends EndpointTypeMap[E]["input"],
>(
  endpoint: E,
  map: Mapping<Input<C>, R, EndpointTypeMap[E]["input"]>,
  outputs: (result: EndpointTypeMap[E]["output"]) => Output[] = filesIn,
): Model<C> {
  // The requests of a queue are below the app, without the endpoint's path in it.
  const parts = endpoint.split("/");
  const app = parts.slice(0, NAMESPACES.includes(parts[0] ?? "") ? 3 : 2);
  const requestUrl = (job: unknown, env: Env) =>
    `${queueOf(env)}/${app.join("/")}/requests/${encodeURIComponent(String(job))}`;

  async function resultOf(job: unknown, env: Env): Promise<Status> {
    try {
      const result = await requestJson<EndpointTypeMap[E]["output"]>(
        requestUrl(job, env),
        { headers: headersOf(env), isRefusal },
      );
      return {
        state: "SUCCEEDED",
        outputs: outputs(result),
        warnings: warningsOf(result),
      };
    } catch (error) {
      if (!(error instanceof ProviderError) || !isEnd(error)) throw error;
      return { state: "FAILED", message: error.message, reason: error.reason };
    }
  }

  return {
    provider: "fal",
    name: endpoint,
    variables: [KEY],
    async start(input, env, ready) {
      const headers = headersOf(env);
      const json = await mapped(map, input, ready);
      const { request_id: job } = await requestJson<{ request_id?: unknown }>(
        `${queueOf(env)}/${endpoint}`,
        { headers, json, isRefusal },
      );
      return { job: referenceOf(job) };
    },
    async status(job, env) {
      const { status } = await requestJson<{ status: string }>(
        `${requestUrl(job, env)}/status`,
        { headers: headersOf(env) },
      );
      if (status === "IN_QUEUE") return { state: "QUEUED" };
      return status === "COMPLETED" ? resultOf(job, env) : { state: "RUNNING" };
    },
    async cancel(job, env) {
      await requestJson(`${requestUrl(job, env)}/cancel`, {
        method: "PUT",
        headers: headersOf(env),
      });
    },
  };
}

const errorsIn = (body: unknown): unknown[] => {
  const { detail } = membersOf(body);
  return Array.isArray(detail) ? detail : [];
};

/** Endpoints that lack the documented type of the error have these words. */
const REFUSALS = /flagged by a content checker|content policy/i;

const isRefusal = (body: unknown) =>
  errorsIn(body)
    .map(membersOf)
    .some(
      ({ type, msg }) =>
        type === "content_policy_violation" || REFUSALS.test(String(msg)),
    );

/** Documented errors of any request. From a poll, they may say nothing about its job. */
const OF_A_POLL = ["internal_error", "bad_request", "client_disconnected"];

/**
 * Returns true if the error of a result is the end of its job. A job that has failed is COMPLETED as
 * well, and its result has the error's status: the model's own `detail`, or the queue's `error_type`.
 */
function isEnd({ status, body }: ProviderError): boolean {
  const { detail, error_type: type } = membersOf(body);
  if (typeof type === "string") return !OF_A_POLL.includes(type);
  if (errorsIn(body).length > 0) return true;
  return detail !== undefined && (status === 422 || status === 500);
}

/** Some endpoints succeed with black pictures instead of those that their check has found. */
function warningsOf(result: unknown): string[] {
  const { has_nsfw_concepts: found } = membersOf(result);
  return Array.isArray(found) && found.includes(true)
    ? ["fal's safety check has flagged a picture, which may be black"]
    : [];
}
