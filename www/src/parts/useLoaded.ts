/** A value that is loaded asynchronously, such as a module: `undefined` until then, and if loading fails. */
import { type Inputs, useEffect, useState } from "preact/hooks";

export function useLoaded<T>(load: () => Promise<T>, inputs: Inputs = []): T | undefined {
  const [loaded, setLoaded] = useState<{ value: T }>();
  useEffect(() => {
    let cancelled = false;
    setLoaded(undefined);
    load().then(
      (value) => !cancelled && setLoaded({ value }),
      () => undefined,
    );
    return () => {
      cancelled = true;
    };
  }, inputs);
  return loaded?.value;
}
