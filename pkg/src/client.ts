// The functions of all entries. An entry adds the source of the wasm.

import { connectionTo } from "./connection.js";
import { invalidArgument } from "./error.js";
import { CATALOGUE, type CapabilityInfo } from "./generated/capabilities.js";
import { checkGlobals } from "./globals.js";
import { wasmInput } from "./input.js";
import type { Instance } from "./instance.js";
import { parseJson } from "./json.js";
import { Media } from "./media.js";
import { checkLimits, checkName, checkTarget, remaining } from "./options.js";
import { Platform } from "./platform.js";
import type { ConnectOptions, LoadOptions } from "./types/calls.js";
import type { Issue } from "./types/issues.js";
import { within } from "./waiting.js";

/** Loads the wasm, or returns the instance that is loaded. */
type Load = () => Promise<Instance>;

/** Connects to a gateway, with an instance of the wasm. @internal */
export async function connectWith(
  load: Load,
  options: ConnectOptions,
): Promise<Media> {
  const limits = checkLimits(options);
  const start = Date.now();
  const instance = await within(limits, load());
  const target = checkTarget(options);
  if (!target.fetch) checkGlobals(["fetch"]);
  const connection = connectionTo(instance, target);
  await connection.call(remaining(limits, start), (client, wasmLimits) =>
    client.connect(wasmLimits),
  );
  return new Media(connection, { ...limits, signal: undefined });
}

/** Checks an input, with an instance of the wasm. @internal */
export async function validateWith(
  load: Load,
  name: string,
  input: unknown,
  options?: LoadOptions,
): Promise<Issue[]> {
  const instance = await within(checkLimits(options), load());
  const capability = checkName(name);
  const fields = wasmInput(input);
  const platform = new Platform(instance, {});
  return instance.run((wasm) =>
    wasm.validate(platform, capability, fields),
  ) as Issue[];
}

/** Decodes a response, with an instance of the wasm. @internal */
export async function decodeWith(
  load: Load,
  status: number,
  text: string,
  capability: string | undefined,
  options: LoadOptions | undefined,
): Promise<unknown> {
  const instance = await within(checkLimits(options), load());
  if (typeof status !== "number")
    throw invalidArgument("status is not a number; give the HTTP status");
  const name = capability === undefined ? undefined : checkName(capability);
  const body = parseJson(text);
  const platform = new Platform(instance, {});
  return instance.run((wasm) =>
    wasm.decodeEnvelope(platform, status, body, name),
  );
}

/**
 * Lists all capabilities.
 *
 * @returns Their names and paths, in the order of the catalogue.
 */
export function capabilities(): CapabilityInfo[] {
  return [...CATALOGUE];
}
