// The functions of all entries. An entry adds the source of the wasm.

import { connectionTo } from "./connection.js";
import { invalidArgument } from "./error.js";
import { CATALOGUE, type CapabilityInfo } from "./generated/capabilities.js";
import { wasmInput } from "./input.js";
import type { Instance } from "./instance.js";
import { parseJson } from "./json.js";
import { Media } from "./media.js";
import { checkLimits, checkName, checkTarget } from "./options.js";
import { Platform } from "./platform.js";
import type { ConnectOptions } from "./types/calls.js";
import type { Issue } from "./types/issues.js";

/** Connects to a gateway, with an instance of the wasm. @internal */
export async function connectWith(
  loading: Promise<Instance>,
  options: ConnectOptions,
): Promise<Media> {
  const instance = await loading;
  const limits = checkLimits(options);
  const connection = connectionTo(instance, checkTarget(options));
  await connection.call(limits, (client, limits) => client.connect(limits));
  return new Media(connection, { ...limits, signal: undefined });
}

/** Checks an input, with an instance of the wasm. @internal */
export async function validateWith(
  loading: Promise<Instance>,
  name: string,
  input: unknown,
): Promise<Issue[]> {
  const instance = await loading;
  const capability = checkName(name);
  const fields = wasmInput(input);
  const platform = new Platform(instance, {});
  return instance.run((wasm) =>
    wasm.validate(platform, capability, fields),
  ) as Issue[];
}

/** Decodes a response, with an instance of the wasm. @internal */
export async function decodeWith(
  loading: Promise<Instance>,
  status: number,
  text: string,
  capability: string | undefined,
): Promise<unknown> {
  const instance = await loading;
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
