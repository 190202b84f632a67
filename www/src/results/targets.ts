/** The fields that a result can be put into. */
import { type Capability, capabilities, type Field } from "../catalogue";

export interface Target {
  capability: Capability;
  field: Field;
}

/** Those that take files of a medium. */
export function fileTargets(medium: string | undefined): Target[] {
  return targets((it) => it.media !== undefined && it.media === medium);
}

/** Those that take assets. A result does not say of which category its asset is. */
export function assetTargets(): Target[] {
  return targets((it) => it.kind === "asset");
}

function targets(isTarget: (field: Field) => boolean): Target[] {
  return capabilities.flatMap((capability) =>
    capability.fields.filter(isTarget).map((field) => ({ capability, field })),
  );
}
