/** What arrives later, such as a part of the page that few need: `undefined` until then, and where it fails. */
import { useEffect, useState, type Inputs } from "preact/hooks";

export function useLoaded<T>(load: () => Promise<T>, inputs: Inputs = []): T | undefined {
  const [loaded, setLoaded] = useState<{ value: T }>();
  useEffect(() => {
    let left = false;
    setLoaded(undefined);
    load().then((value) => !left && setLoaded({ value }), () => undefined);
    return () => void (left = true);
  }, inputs);
  return loaded?.value;
}
