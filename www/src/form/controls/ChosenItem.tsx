import { ArrowUp, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { IconButton } from "../../parts/IconButton";
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
  facts: ComponentChildren;
  progress?: ComponentChildren;
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
      {raise && (
        <IconButton
          icon={ArrowUp}
          label={`Move ${name} up`}
          // The first item has no such button, so its next button takes the focus.
          next={(button) => [button.nextElementSibling]}
          onClick={raise}
        />
      )}
      <IconButton icon={X} label={`Remove ${name}`} onClick={remove} />
      {player}
    </li>
  );
}
