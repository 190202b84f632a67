/** A long list of tasks. Only the cards in view and those in use are in the page. */
import {
  defaultRangeExtractor,
  type Range,
  useVirtualizer,
  useWindowVirtualizer,
} from "@tanstack/react-virtual";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "./entry";
import { TaskCard } from "./TaskCard";
import "../style/part.css";

/** The assumed height of a card, until it is measured. */
const CARD_PX = 86;
const GAP_PX = 12;
/** The number of cards in the page above and below the view. */
const OVERSCAN = 6;
/** The most cards that stay in the page out of view, since they had the focus or play something. */
const MAX_USED = 5;

interface VirtualListProps {
  entries: readonly Entry[];
  newest: Entry | undefined;
}

/** Matches if the list scrolls in its own column, and not with the page; see style/layout.css. */
const wide = matchMedia("(min-width: 1120px)");

export function VirtualList(props: VirtualListProps) {
  const [isWide, setWide] = useState(wide.matches);
  useLayoutEffect(() => {
    const change = () => setWide(wide.matches);
    wide.addEventListener("change", change);
    return () => wide.removeEventListener("change", change);
  }, []);
  // The virtualiser keeps its scroller, so another scroller needs another list.
  return <Cards key={String(isWide)} {...props} inColumn={isWide} />;
}

function Cards({
  entries,
  newest,
  inColumn,
}: VirtualListProps & { inColumn: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const [used, setUsed] = useState<readonly string[]>([]);
  const use = (event: Event) => {
    const key =
      event.target instanceof Element &&
      event.target.closest<HTMLElement>(".task")?.dataset.key;
    if (key && key !== used[0])
      setUsed(
        [key, ...used.filter((other) => other !== key)].slice(0, MAX_USED),
      );
  };
  const withUsed = (range: Range) => {
    const indexes = used
      .map((key) => entries.findIndex((entry) => entry.key === key))
      .filter((index) => index >= 0);
    return [...new Set([...defaultRangeExtractor(range), ...indexes])].sort(
      (one, other) => one - other,
    );
  };
  const options = {
    count: entries.length,
    estimateSize: () => CARD_PX,
    getItemKey: (index: number) => entries[index]?.key ?? index,
    gap: GAP_PX,
    overscan: OVERSCAN,
    rangeExtractor: withUsed,
    scrollMargin: useOffset(list, inColumn),
  };
  const getScrollElement = () => list.current?.parentElement ?? null;
  // The key of this component changes with `inColumn`, so it always calls the same hook.
  const virtualizer = inColumn
    ? useVirtualizer({ ...options, getScrollElement })
    : useWindowVirtualizer(options);
  return (
    <ul
      ref={list}
      class="part"
      style={{ height: `${virtualizer.getTotalSize()}px` }}
      onFocusIn={use}
      // The event `play` does not bubble.
      onPlayCapture={use}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const entry = entries[index];
        if (!entry) return null;
        const item = {
          ref: virtualizer.measureElement,
          "data-index": index,
          "data-key": entry.key,
          "aria-setsize": entries.length,
          "aria-posinset": index + 1,
          style: { transform: `translateY(${start - options.scrollMargin}px)` },
        };
        return (
          <TaskCard
            key={key}
            entry={entry}
            newest={entry.key === newest?.key}
            item={item}
          />
        );
      })}
    </ul>
  );
}

/** Returns the height of the elements above the list in its scroller, in pixels. */
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
