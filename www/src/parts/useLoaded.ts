/** Values that are loaded asynchronously, such as modules. A failed load is repeated. */
import { type Inputs, useEffect, useState } from "preact/hooks";
import { chunk } from "./chunk";
import { backOrAfter } from "./online";

/** The waits before the repetitions. After these, only the return of the network starts another. */
const WAITS_MS = [1_000, 5_000, 20_000];

/** Returns the loaded value; `undefined` until then. Loads again if `inputs` change. */
export function useLoaded<T>(
  load: () => Promise<T>,
  inputs: Inputs = [],
): T | undefined {
  const [loaded, setLoaded] = useState<{ value: T }>();
  useEffect(() => {
    const controller = new AbortController();
    setLoaded(undefined);
    const show = (value: T) => {
      if (!controller.signal.aborted) setLoaded({ value });
    };
    loadUntil(load, controller.signal).then(show, () => undefined);
    return () => controller.abort();
  }, inputs);
  return loaded?.value;
}

/** Returns a part of the script, which is loaded once it is needed; `undefined` until then. */
export function useChunk<Module>(
  load: () => Promise<Module>,
  isNeeded = true,
): Module | undefined {
  return useLoaded(
    async () => (isNeeded ? await chunk(load) : undefined),
    [isNeeded],
  );
}

async function loadUntil<T>(
  load: () => Promise<T>,
  signal: AbortSignal,
  failures = 0,
): Promise<T> {
  try {
    return await load();
  } catch (failure) {
    if (signal.aborted) throw failure;
    await backOrAfter(WAITS_MS[failures]);
    if (signal.aborted) throw failure;
    return loadUntil(load, signal, failures + 1);
  }
}
