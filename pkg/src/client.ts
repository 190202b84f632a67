// The functions of all entries. An entry adds the source of the wasm, and `index.ts` documents the
// functions.

import { connectionTo, Scope } from "./connection.js";
import { invalidArgument } from "./error.js";
import {
  CATALOGUE,
  type CapabilityInfo,
  type CapabilityName,
} from "./generated/capabilities.js";
import { checkGlobals } from "./globals.js";
import { wasmInput } from "./input.js";
import type { Instance } from "./instance.js";
import { parseJson } from "./json.js";
import { loadInstance, type WasmSource } from "./loading.js";
import { Media } from "./media.js";
import {
  checkLimits,
  checkName,
  checkOptions,
  checkTarget,
  remaining,
} from "./options.js";
import { Platform } from "./platform.js";
import type { ConnectOptions } from "./types/calls.js";
import type { Issue } from "./types/issues.js";
import type { LoadOptions } from "./types/load.js";
import { within } from "./waiting.js";

type Load = () => Promise<Instance>;

/** Loads the wasm, and drops the instance. @internal */
export async function loadWith(
  source: WasmSource | (() => WasmSource),
  options: LoadOptions | undefined,
): Promise<void> {
  await within(checkOptions(options, "load"), loadInstance(source));
}

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
  const connection = await within(
    remaining(limits, start),
    connectionTo(instance, target),
  );
  const scope = new Scope(connection, { ...limits, signal: undefined });
  await scope.call(remaining(limits, start), (client, wasmLimits) =>
    client.connect(wasmLimits),
  );
  return new Media(scope);
}

/** Checks an input, with an instance of the wasm. @internal */
export async function validateWith(
  load: Load,
  name: string,
  input: unknown,
  options?: LoadOptions,
): Promise<Issue[]> {
  const instance = await within(checkOptions(options, "load"), load());
  const capability = checkName(name);
  const fields = wasmInput(input);
  const platform = new Platform(instance);
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
  const instance = await within(checkOptions(options, "load"), load());
  if (typeof status !== "number")
    throw invalidArgument("status is not a number", "give the HTTP status");
  const name = capability === undefined ? undefined : checkName(capability);
  const body = parseJson(text);
  const platform = new Platform(instance);
  return instance.run((wasm) =>
    // With a name or without one, the result is another.
    wasm.decodeEnvelope(platform, status, body, name as CapabilityName),
  );
}

/** Lists all capabilities, in the order of the catalogue. */
export function capabilities(): CapabilityInfo[] {
  return [...CATALOGUE];
}
