/** One item of a file field: what it is, and the buttons to move and to remove it. */
import { ArrowUp, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/Icon";
import { useFocusAfter } from "../../parts/useFocusAfter";

export interface ItemActions {
  remove(): void;
  /** Moves it up; `undefined` for the first item. */
  raise: (() => void) | undefined;
  invalid: boolean;
}

interface ItemProps extends ItemActions {
  name: string;
  preview: ComponentChildren;
  /** Below its name. */
  facts: ComponentChildren;
  /** Below the facts. */
  progress?: ComponentChildren;
  /** In a row of its own. */
  player?: ComponentChildren;
}

export function Item({
  name,
  preview,
  facts,
  progress,
  player,
  remove,
  raise,
  invalid,
}: ItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(item, (it) => [
    ...[it.nextElementSibling, it.previousElementSibling].map((one) =>
      one?.querySelector("button:last-of-type"),
    ),
    it.closest(".picker")?.querySelector("input[type=file]"),
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
        <Icon of={X} />
      </button>
      {player}
    </li>
  );
}

/** The first item has none, so that the focus then stays with the item. */
function Raise({ name, raise }: { name: string; raise(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button, (it) => [it.nextElementSibling]);
  return (
    <button
      ref={button}
      type="button"
      class="quiet square"
      aria-label={`Move ${name} up`}
      onClick={raise}
    >
      <Icon of={ArrowUp} />
    </button>
  );
}
