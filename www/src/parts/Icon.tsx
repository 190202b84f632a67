/** A line icon. It is decoration, so it is hidden from screen readers. */
import type { IconNode } from "lucide";
import { h } from "preact";

export function Icon({ icon, size = 16 }: { icon: IconNode; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {icon.map(([tag, attributes]) =>
        h(tag, attributes as Record<string, string>),
      )}
    </svg>
  );
}
