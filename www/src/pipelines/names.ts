import type { CapabilityName } from "mediagate";
import { capabilityTitle } from "../tasks/entry";

interface Step {
  name: string;
  capability: CapabilityName;
}

/** Returns a title such as `Text to image 2`, or with the name that was chosen elsewhere. */
export function stepTitle({ name, capability }: Step): string {
  const title = capabilityTitle({ capability });
  if (name === capability) return title;
  const number = name.startsWith(`${capability}_`)
    ? name.slice(capability.length + 1)
    : "";
  return /^\d+$/.test(number) ? `${title} ${number}` : `${name}: ${title}`;
}

export function titleAmong(steps: readonly Step[], name: string): string {
  const found = steps.find((step) => step.name === name);
  return found ? stepTitle(found) : name;
}

/**
 * Returns the titles of the steps that a step uses, in words. Empty if that is only the step
 * before, which the arrow shows; `undefined` for a step that uses none.
 */
export function fromWords(
  uses: readonly string[],
  before: Step | undefined,
  steps: readonly Step[],
): string | undefined {
  if (uses.length === 0) return undefined;
  const isBefore = uses.every((name) => name === before?.name);
  return isBefore
    ? ""
    : `from ${uses.map((name) => titleAmong(steps, name)).join(", ")}`;
}
