import type { CapabilityName } from "mediagate";
import { capabilityTitle } from "../tasks/entry";

/** Returns a title such as `Text to image 2`, or with the name that was chosen elsewhere. */
export function stepTitle({
  name,
  capability,
}: {
  name: string;
  capability: CapabilityName;
}): string {
  const title = capabilityTitle({ capability });
  if (name === capability) return title;
  const number = name.startsWith(`${capability}_`)
    ? name.slice(capability.length + 1)
    : "";
  return /^\d+$/.test(number) ? `${title} ${number}` : `${name}: ${title}`;
}

interface Named {
  name: string;
}

/**
 * Returns the titles of the steps that a step uses, in words. Empty if that is only the step
 * before, which the arrow shows; `undefined` for a step that uses none.
 */
export function fromWords(
  uses: readonly string[],
  before: Named | undefined,
  titleOf: (step: string) => string,
): string | undefined {
  if (uses.length === 0) return undefined;
  const isBefore = uses.every((name) => name === before?.name);
  return isBefore ? "" : `from ${uses.map(titleOf).join(", ")}`;
}
