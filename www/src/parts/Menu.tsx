/** A button that opens a panel of further actions. A press on one of them closes the panel. */
import { ChevronDown, Ellipsis, type IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "./Icon";
import "../style/menu.css";

interface MenuProps {
  /** The text of the button. Without it, the button is three dots. */
  text?: string;
  /** The name for screen readers. */
  label: string;
  icon?: IconNode;
  /** A class of the panel. */
  class?: string;
  children: ComponentChildren;
}

/** The distance between a panel and its button or the edges of the window, in pixels. */
const GAP_PX = 6;

export function Menu({
  text,
  label,
  icon = Ellipsis,
  class: name = "",
  children,
}: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <span class="menu">
      <button
        ref={button}
        type="button"
        class={text ? "small" : "quiet small"}
        title={text ? undefined : label}
        aria-label={label}
        popovertarget={id}
      >
        {text ? (
          <>
            {text} <Icon icon={ChevronDown} size={14} />
          </>
        ) : (
          <Icon icon={icon} />
        )}
      </button>
      <div
        id={id}
        popover="auto"
        class={`actions-panel ${name}`}
        onToggle={({ currentTarget, newState }) => {
          if (newState === "open") place(currentTarget, button.current);
        }}
        // Before the action, so that a dialog that it opens returns the focus to the menu's button.
        onClickCapture={({ target, currentTarget }) => {
          if (target instanceof Element && target.closest("button, a"))
            currentTarget.hidePopover();
        }}
      >
        {children}
      </div>
    </span>
  );
}

/** Places a panel below its button, or above it if there is more room. */
function place(panel: HTMLElement, button: HTMLElement | null): void {
  if (!button) return;
  const { top, bottom, left } = button.getBoundingClientRect();
  const { offsetWidth: width } = panel;
  const isBelow = innerHeight - bottom >= top;
  const room = (isBelow ? innerHeight - bottom : top) - 2 * GAP_PX;
  panel.style.maxHeight = `${room}px`;
  panel.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - GAP_PX))}px`;
  panel.style.top = isBelow ? `${bottom + GAP_PX}px` : "auto";
  panel.style.bottom = isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`;
  panel.querySelector<HTMLElement>("button, a")?.focus();
}
