import type { OfferedCapability, Offers } from "../types/models.js";
import type { FormCapability } from "./catalogue.js";

/** The id of the model that an emulator has for each capability beside an upstream module. */
const EMULATOR = "emulator";

/**
 * Returns true if the gateway offers a capability.
 *
 * @param offers - The result of `media.capabilities()`. If it is `undefined`, such as before it is
 * there or for a gateway that is too old to list them, all capabilities except extensions count
 * as offered.
 */
export function isOffered(
  capability: Pick<FormCapability, "name" | "extension">,
  offers: Offers | undefined,
): boolean {
  return offers
    ? offerOf(capability, offers) !== undefined
    : !capability.extension;
}

/** Returns true if an emulator serves a capability, because the upstream module lacks it. */
export function isEmulated(
  capability: Pick<FormCapability, "name">,
  offers: Offers | undefined,
): boolean {
  const models = offerOf(capability, offers)?.models ?? [];
  return models.some((model) => model.model_id === EMULATOR);
}

function offerOf(
  { name }: Pick<FormCapability, "name">,
  offers: Offers | undefined,
): OfferedCapability | undefined {
  return offers?.capabilities.find(({ capability }) => capability === name);
}
