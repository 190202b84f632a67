/** The region for notices, at the edge of the screen that is farther from the form's buttons. */
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
  const edge = useFreeEdge(notices.value.length > 0);
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
  useFocusAfter(element, (removed) => {
    const next = removed.nextElementSibling ?? removed.previousElementSibling;
    const dismiss = next?.querySelector("button:last-child");
    return [dismiss, before.current, document.getElementById(HEADING)];
  });
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

function useFreeEdge(isShown: boolean): "top" | "bottom" {
  const edge = useSignal<"top" | "bottom">("bottom");
  useEffect(() => {
    if (!isShown) return undefined;
    const choose = () => {
      const buttons = document
        .querySelector(".actions")
        ?.getBoundingClientRect();
      const isLow =
        buttons && buttons.top + buttons.height / 2 > innerHeight / 2;
      edge.value = isLow ? "top" : "bottom";
    };
    choose();
    addEventListener("scroll", choose, { passive: true });
    return () => removeEventListener("scroll", choose);
  }, [isShown, edge]);
  return edge.value;
}
