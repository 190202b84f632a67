/** Moves the focus when the element that contains it is removed, so that it is not lost. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { afterRender } from "./afterRender";

export type Target = Element | null | undefined;

/** Gives the focus to the first of `targets` that is still in the page. */
export function useFocusAfter(
  element: RefObject<HTMLElement | null>,
  targets: (removed: HTMLElement) => Target[],
): void {
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      // Before the removal, while the element still has siblings.
      const found = targets(current);
      afterRender(() => {
        // The cause of the removal may have moved the focus.
        if (document.activeElement !== document.body) return;
        const next = found.find((target) => target?.isConnected);
        if (next instanceof HTMLElement) next.focus();
      });
    };
  }, []);
}
