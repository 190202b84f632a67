/** A result in a link. Its bytes are at the media service, and the link has only their address. */
import type { Capability } from "../catalogue";
import type { Loadable } from "../results/output";
import { mediumOfCapability, webUrl } from "../results/reference";

export interface LinkedResult {
  capability: Capability;
  output: Loadable;
}

/** The parameter of a link that has the address of a result. */
export const RESULT = "result";

/**
 * Returns the result that a link names; `undefined` if it names none. Anyone can write a link, so
 * the page's content security policy decides which hosts it loads from.
 */
export function linkedResult(
  capability: Capability,
  address: string | null,
): LinkedResult | undefined {
  const url = webUrl(address ?? undefined);
  const kind = mediumOfCapability(capability);
  if (!url || !kind) return undefined;
  const output: Loadable = {
    url,
    kind,
    name: capability.title,
    note: undefined,
    reference: undefined,
  };
  return { capability, output };
}
