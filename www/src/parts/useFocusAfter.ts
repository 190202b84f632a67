/** Moves the focus elsewhere when the element that contains it is removed, so that it is not lost. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** `target` finds the element that gets the focus. */
export function useFocusAfter(
  element: RefObject<HTMLElement | null>,
  target: (removed: HTMLElement) => HTMLElement | null,
): void {
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      const next = target(current);
      requestAnimationFrame(() => next?.focus());
    };
  }, []);
}
