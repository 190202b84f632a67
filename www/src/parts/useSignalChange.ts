import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Runs an effect in the turn in which its signals change. `useSignalEffect` runs it in a later frame:
 * a key that is pressed before would go to an element that is about to lose the focus.
 */
export function useSignalChange(act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useLayoutEffect(() => effect(() => latest.current()), []);
}
