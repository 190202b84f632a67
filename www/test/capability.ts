import { expect } from "vitest";
import { type Capability, findCapability } from "../src/catalogue";

/** Returns the capability with a name, which must exist. */
export function capabilityOf(name: string): Capability {
  return findCapability(name) ?? expect.fail(`there is no ${name}`);
}
