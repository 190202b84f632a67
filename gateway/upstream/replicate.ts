// Predictions of Replicate. Only the types of the vendor's client are used.
import type { CapabilityName } from "mediagate";
import type { Prediction } from "replicate";
import { mapped } from "./mapped.js";
import type { Env, Input, JsonObject, Model, Output, Status } from "./model.js";
import {
  addressesIn,
  baseUrl,
  referenceOf,
  requestJson,
  sentenceIn,
  variable,
} from "./provider.js";

const KEY = "REPLICATE_API_TOKEN";
/** Replicate has no field for a refusal. Its error E005 is one, and models have sentences of their own. */
const REFUSALS =
  /\(E005\)|flagged as sensitive|NSFW content detected|content (?:policy|moderation)/i;

const headersOf = (env: Env) => ({
  authorization: `Bearer ${variable(env, KEY)}`,
});
const apiOf = (env: Env) =>
  baseUrl(env, "REPLICATE_BASE_URL", "https://api.replicate.com/v1");

/**
 * A model of Replicate. The key is the variable `REPLICATE_API_TOKEN`.
 *
 * @param name - `owner/name` for an official model, `owner/name:version` for any other one.
 * @param outputs - Returns the outputs of a result; by default every address in it.
 */
export function replicateModel<C extends CapabilityName>(
  name: `${string}/${string}`,
  map: (input: Input<C>) => JsonObject | Promise<JsonObject>,
  outputs: (result: unknown) => Output[] = addressesIn,
): Model<C> {
  const [model, version] = name.split(":");
  const path = version ? "predictions" : `models/${model}/predictions`;
  const predictionUrl = (job: unknown, env: Env) =>
    `${apiOf(env)}/predictions/${encodeURIComponent(String(job))}`;
  return {
    provider: "replicate",
    name,
    variables: [KEY],
    async start(input, env, ready) {
      const headers = headersOf(env);
      const json = { version, input: await mapped(map, input, ready) };
      const { id } = await requestJson<Partial<Prediction>>(
        `${apiOf(env)}/${path}`,
        {
          headers,
          json,
          isRefusal: (body) => REFUSALS.test(sentenceIn(body)),
        },
      );
      return { job: referenceOf(id) };
    },
    async status(job, env) {
      const prediction = await requestJson<Prediction>(
        predictionUrl(job, env),
        { headers: headersOf(env) },
      );
      return statusOf(prediction, outputs);
    },
    async cancel(job, env) {
      await requestJson(`${predictionUrl(job, env)}/cancel`, {
        method: "POST",
        headers: headersOf(env),
      });
    },
  };
}

function statusOf(
  { status, error, output, data_removed: isRemoved }: Prediction,
  outputs: (result: unknown) => Output[],
): Status {
  switch (status) {
    case "starting":
      return { state: "QUEUED" };
    case "failed": {
      const message = sentenceIn(error) || "the prediction failed";
      const isRefused = REFUSALS.test(message);
      const reason = isRefused ? "content_refused" : undefined;
      return { state: "FAILED", message, reason };
    }
    case "canceled":
    case "aborted":
      return { state: "FAILED", message: `the prediction was ${status}` };
    case "succeeded":
      // Replicate deletes the outputs of predictions of the API after an hour.
      return isRemoved
        ? { state: "EXPIRED", message: "Replicate has deleted the output" }
        : { state: "SUCCEEDED", outputs: outputs(output) };
    default:
      return { state: "RUNNING" };
  }
}
