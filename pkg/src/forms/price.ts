import type { Model, ModelCatalogue } from "../types/models.js";
import type { FormCapability } from "./catalogue.js";
import { inputValue } from "./fields.js";
import { modelsFor } from "./models.js";

/** The price of a task, or of each second that it makes. */
export interface Price {
  readonly credits: number;
  readonly per: "task" | "second";
}

/** Returns the price of a model; `undefined` if it names none. The media service documents none. */
export function priceOf(model: Model): Price | undefined {
  const { credits, per } = (model.price ?? {}) as {
    readonly [member: string]: unknown;
  };
  return typeof credits === "number" && (per === "task" || per === "second")
    ? { credits, per }
    : undefined;
}

/**
 * Returns the price of a create, without a request: the price of the models that the create may
 * get. With `duration_seconds` in the input, a price per second becomes one per task.
 *
 * @param catalogue - The result of `media.models()`; `undefined` before it is there.
 * @returns `undefined` if the price is unknown, or if the models have several.
 */
export function priceFor(
  capability: Pick<FormCapability, "name" | "documentedModel">,
  catalogue: ModelCatalogue | undefined,
  input: object,
): Price | undefined {
  const seconds = inputValue(input, { name: "duration_seconds" });
  const [price, ...others] = modelsFor(capability, catalogue, input).map(
    priceOf,
  );
  const isUnique = others.every(
    (other) => other?.credits === price?.credits && other?.per === price?.per,
  );
  if (!price || !isUnique) return undefined;
  return price.per === "second" && typeof seconds === "number" && seconds > 0
    ? { credits: price.credits * seconds, per: "task" }
    : price;
}

/** Returns the paid plan that a model needs; `undefined` if it needs none. */
export function planOf({ required_plan: plan }: Model): string | undefined {
  return typeof plan === "string" && plan !== "free" ? plan : undefined;
}
