/** Prices and plans in the catalogue of models. Both are undocumented, so members are checked. */
import type { Model } from "mediagate";
import type { Capability } from "../catalogue";
import type { Values } from "../storage";
import { price } from "../words";
import { modelsFor } from "./models";

interface Price {
  credits: number;
  per: string;
}

/** Returns the cost of a run, such as `4 credits`; `undefined` if unknown or not unique. */
export function costOf(
  capability: Capability,
  values: Values,
): string | undefined {
  const seconds = values.duration_seconds;
  const texts = modelsFor(capability, values).map((model) => {
    const own = priceOf(model);
    if (own?.per === "second" && typeof seconds === "number" && seconds > 0)
      return price(own.credits * seconds, false);
    return own && priceText(own);
  });
  return new Set(texts).size === 1 ? texts[0] : undefined;
}

/** Returns the price of a model and the plan that it needs; empty if the catalogue has neither. */
export function modelNote(model: Model): string {
  const own = priceOf(model);
  const plan = model.required_plan;
  return [
    own && priceText(own),
    typeof plan === "string" && plan !== "free" && `plan ${plan}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function priceOf(model: Model): Price | undefined {
  const { credits, per } = (model.price ?? {}) as Partial<
    Record<string, unknown>
  >;
  return typeof credits === "number" && (per === "task" || per === "second")
    ? { credits, per }
    : undefined;
}

function priceText({ credits, per }: Price): string {
  const text = price(credits, false);
  return per === "second" ? `${text} per second` : text;
}
