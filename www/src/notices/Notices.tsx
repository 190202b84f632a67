/** The region for notices, at the edge of the screen where it covers the fewest buttons. */
import { useSignal } from "@preact/signals";
import { X } from "lucide";
import type { RefObject, TargetedFocusEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../parts/IconButton";
import { useFocusAfter } from "../parts/useFocusAfter";
import { visible } from "../parts/visible";
import { HEADING } from "../route";
import { act, lapse, notices, type ShownNotice } from "./store";

/**
 * The milliseconds that a notice stays. They do not run while it has the pointer or the focus, nor
 * while the tab is hidden, and start again afterwards.
 */
const STAY_MS = 16_000;

export function Notices() {
  const region = useRef<HTMLElement>(null);
  const edge = useFreeEdge(region, notices.value);
  const before = useRef<Element | null>(null);
  const enter = ({
    relatedTarget,
    currentTarget,
  }: TargetedFocusEvent<HTMLElement>) => {
    const isOutside =
      relatedTarget instanceof Element &&
      !currentTarget.contains(relatedTarget);
    if (isOutside) before.current = relatedTarget;
  };
  // Rendered without notices, too: screen readers announce only changes of a region in the page.
  return (
    <section
      ref={region}
      class="notices"
      data-edge={edge}
      aria-label="Notices"
      onFocusIn={enter}
    >
      <div role="status">
        {notices.value.map((notice) => (
          <NoticeItem key={notice.id} notice={notice} before={before} />
        ))}
      </div>
    </section>
  );
}

interface NoticeItemProps {
  notice: ShownNotice;
  before: RefObject<Element | null>;
}

function NoticeItem({ notice, before }: NoticeItemProps) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(
    element,
    (removed) => {
      const next = removed.nextElementSibling ?? removed.previousElementSibling;
      const dismiss = next?.querySelector("button:last-child");
      return [dismiss, before.current, document.getElementById(HEADING)];
      // A person who dismisses a notice goes on where they are.
    },
    { preventScroll: true },
  );
  const isHeld = isPointed || isFocused || !visible.value;
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => lapse(notice), STAY_MS);
    return () => clearTimeout(timer);
  }, [isHeld, notice]);
  return (
    <div
      ref={element}
      class="notice"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <p dir="auto">{notice.text}</p>
      {notice.action && (
        <button type="button" class="small" onClick={() => act(notice)}>
          {notice.action.label}
        </button>
      )}
      <IconButton
        icon={X}
        size={14}
        label="Dismiss"
        onClick={() => lapse(notice)}
      />
    </div>
  );
}

type Edge = "top" | "bottom";

/** Returns the edge for the notices. A wide page has a place of their own; see style/notices.css. */
function useFreeEdge(
  region: RefObject<HTMLElement | null>,
  shown: readonly ShownNotice[],
): Edge {
  const edge = useSignal<Edge>("bottom");
  useEffect(() => {
    if (shown.length === 0) return undefined;
    const choose = () => {
      const height = region.current?.offsetHeight ?? 0;
      const covered = (from: number, to: number) =>
        [...document.querySelectorAll(BUTTONS)].filter((button) => {
          const { top, bottom, width } = button.getBoundingClientRect();
          return width > 0 && bottom > from && top < to;
        }).length;
      const bar = document.querySelector<HTMLElement>(".reach");
      const end = innerHeight - (bar?.offsetHeight ?? 0);
      edge.value =
        covered(end - height, end) > covered(0, height) ? "top" : "bottom";
    };
    choose();
    addEventListener("scroll", choose, { passive: true });
    return () => removeEventListener("scroll", choose);
  }, [shown, region, edge]);
  return edge.value;
}

/** What a notice should not cover. */
const BUTTONS = ":is(main, .results, .brand) :is(button, a, summary)";
