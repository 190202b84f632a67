import type { Capability, Field } from "../catalogue";
import { offered } from "../offers";

export interface Target {
  capability: Capability;
  field: Field;
}

export function fileTargets(medium: string | undefined): Target[] {
  return targets(({ media }) => media !== undefined && media === medium);
}

/** Returns the fields that take assets. A result does not say the category of its asset. */
export function assetTargets(): Target[] {
  return targets(({ kind }) => kind === "asset");
}

function targets(isTarget: (field: Field) => boolean): Target[] {
  return offered.value.flatMap((capability) =>
    capability.fields.filter(isTarget).map((field) => ({ capability, field })),
  );
}
