// The mapping of a request to that of a provider.
import { ProviderError } from "./provider.js";
import { CODE, Refusal } from "./refusal.js";

type KeysOf<T> = T extends unknown ? keyof T : never;

/**
 * A request `R` without members that `T` lacks. The compiler checks this for object literals, but not
 * for what a function returns.
 */
type Exact<R, T> = R & { readonly [K in Exclude<keyof R, KeysOf<T>>]: never };

/** Returns the provider's request `T` for an input. `R` is the request with the types of its literals. */
export type Mapping<I, R extends T, T> = (
  input: I,
) => Exact<R, T> | Promise<Exact<R, T>>;

/** Reads the files that a request contains whole, which become URLs in JSON. */
function readFiles(value: unknown): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value))
    return;
  // A file counts as read once this member is read.
  if ("toJSON" in value && value.toJSON !== undefined) return;
  Object.values(value).forEach(readFiles);
}

/**
 * Returns the provider's request, and calls `ready`.
 *
 * @throws {Refusal} with the sentence of an exception of `map`: nothing was sent yet, so it must not
 * have a code of an unknown outcome
 */
export async function mapped<I, R>(
  map: (input: I) => R | Promise<R>,
  input: I,
  ready: () => void,
): Promise<R> {
  try {
    const request = await map(input);
    readFiles(request);
    ready();
    return request;
  } catch (error) {
    if (error instanceof Refusal || error instanceof ProviderError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new Refusal(CODE.input, message);
  }
}
