/** An item of a field for files, with buttons that move and remove it. */
import { ArrowUp, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/Icon";
import { useFocusAfter } from "../../parts/useFocusAfter";

export interface ItemActions {
  remove(): void;
  /** Moves the item up; `undefined` for the first item. */
  raise: (() => void) | undefined;
  invalid: boolean;
}

interface ChosenItemProps extends ItemActions {
  name: string;
  preview: ComponentChildren;
  /** The line below the name. */
  facts: ComponentChildren;
  /** The bar below the facts. */
  progress?: ComponentChildren;
  /** The player, in a row of its own. */
  player?: ComponentChildren;
}

export function ChosenItem({
  name,
  preview,
  facts,
  progress,
  player,
  remove,
  raise,
  invalid,
}: ChosenItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(item, (removed) => [
    removed.nextElementSibling?.querySelector("button:last-of-type"),
    removed.previousElementSibling?.querySelector("button:last-of-type"),
    removed.closest(".picker")?.querySelector("input[type=file]"),
  ]);
  return (
    <li ref={item} class="item" data-invalid={invalid}>
      {preview}
      <div class="about">
        <span class="name" dir="auto" title={name}>
          {name}
        </span>
        <span class="facts">{facts}</span>
        {progress}
      </div>
      {raise && <Raise name={name} raise={raise} />}
      <button
        type="button"
        class="quiet square"
        aria-label={`Remove ${name}`}
        onClick={remove}
      >
        <Icon icon={X} />
      </button>
      {player}
    </li>
  );
}

function Raise({ name, raise }: { name: string; raise(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The first item has no such button, so its next button takes the focus.
  useFocusAfter(button, (removed) => [removed.nextElementSibling]);
  return (
    <button
      ref={button}
      type="button"
      class="quiet square"
      aria-label={`Move ${name} up`}
      onClick={raise}
    >
      <Icon icon={ArrowUp} />
    </button>
  );
}
