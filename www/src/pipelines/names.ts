/** The titles of steps. */
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
