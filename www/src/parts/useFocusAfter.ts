/** Moves the focus when the element that contains it is removed, so that it is not lost. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { afterRender } from "./afterRender";

/** An element, or a function that finds one after the removal. */
export type Target = Element | null | undefined | (() => Element | null);

/** Gives the focus to the first of `targets` that is in the page after the removal. */
export function useFocusAfter(
  element: RefObject<HTMLElement | null>,
  targets: (removed: HTMLElement) => Target[],
  options?: FocusOptions,
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
        const next = found
          .map((target) => (typeof target === "function" ? target() : target))
          .find((target) => target?.isConnected);
        if (next instanceof HTMLElement) next.focus(options);
      });
    };
  }, []);
}
