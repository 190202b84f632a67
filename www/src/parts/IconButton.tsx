import type { IconNode } from "lucide";
import type { ComponentProps } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "./Icon";
import { type Target, useFocusAfter } from "./useFocusAfter";

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconNode;
  size?: number;
  /** The name for screen readers, by default the tooltip. */
  label?: string;
  /** Returns the elements that take the focus when the button goes away. */
  next?(button: HTMLElement): Target[];
}

export function IconButton({
  icon,
  size,
  title,
  label,
  next = () => [],
  ...others
}: IconButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button, next);
  return (
    <button
      ref={button}
      type="button"
      class="quiet square"
      title={title}
      aria-label={label ?? title}
      {...others}
    >
      <Icon icon={icon} {...(size && { size })} />
    </button>
  );
}
