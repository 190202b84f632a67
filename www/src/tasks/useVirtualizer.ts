/** TanStack's virtualiser as a Preact hook. The list scrolls in an element or with the page. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

// biome-ignore lint/suspicious/noExplicitAny: the scroller is an element or the window, which have no type in common here
type Scroller = any;
type Options = VirtualizerOptions<Scroller, HTMLElement>;

const IN_PAGE: Partial<Options> = {
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
};

const IN_ELEMENT: Partial<Options> = {
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
};

/**
 * Returns the virtualiser of a list. The list scrolls in its parent if `inElement` is set. A
 * component that changes `inElement` needs another key.
 */
export function useVirtualizer(
  list: RefObject<HTMLElement | null>,
  inElement: boolean,
  options: Pick<
    Options,
    | "count"
    | "estimateSize"
    | "getItemKey"
    | "gap"
    | "overscan"
    | "rangeExtractor"
  >,
): Virtualizer<Scroller, HTMLElement> {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const scrollMargin = useOffset(list, inElement);
  const place = inElement
    ? {
        ...IN_ELEMENT,
        getScrollElement: () => list.current?.parentElement ?? null,
      }
    : IN_PAGE;
  const all = {
    ...place,
    ...options,
    scrollMargin,
    onChange: () => render(0),
  } as Options;
  const [virtualizer] = useState(() => new Virtualizer(all));
  virtualizer.setOptions(all);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

function useOffset(
  list: RefObject<HTMLElement | null>,
  inElement: boolean,
): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const element = list.current;
      const parent = element?.parentElement;
      if (!element || !parent) return;
      const top = inElement
        ? parent.getBoundingClientRect().top - parent.scrollTop
        : -scrollY;
      setOffset(Math.round(element.getBoundingClientRect().top - top));
    };
    measure();
    const observer = new ResizeObserver(measure);
    // The form and the elements above the list move it when they change their size.
    observer.observe(document.body);
    for (const element of list.current?.parentElement?.children ?? [])
      observer.observe(element);
    return () => observer.disconnect();
  }, [list, inElement]);
  return offset;
}
