/** What a step is called. */
import type { CapabilityName } from "mediagate";
import { capabilityTitle } from "../tasks/entry";

/** `Text to image 2` for the second step of that capability; a name that was chosen elsewhere is part of it. */
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
