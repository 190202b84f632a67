/**
 * The capabilities, as the npm package describes them. No code here depends on a capability's
 * name.
 */
import generated from "mediagate/catalogue.json";
import type { Capability, Catalogue } from "mediagate/forms";

export type { Capability, Field } from "mediagate/forms";

export const { prefix, capabilities } = generated as Catalogue;

const byName = new Map<string, Capability>(
  capabilities.map((capability) => [capability.name, capability]),
);

export function findCapability(name: string): Capability | undefined {
  return byName.get(name);
}
