/** Moves the focus elsewhere when the element that contains it is removed, so that it is not lost. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

type Target = Element | null | undefined;

/** `targets` finds the elements of which the first that is still in the page gets the focus. */
export function useFocusAfter(
  element: RefObject<HTMLElement | null>,
  targets: (removed: HTMLElement) => Target[],
): void {
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      const found = targets(current);
      requestAnimationFrame(() => {
        // What removed it may have moved the focus.
        if (document.activeElement !== document.body) return;
        const next = found.find((it) => it?.isConnected);
        if (next instanceof HTMLElement) next.focus();
      });
    };
  }, []);
}
