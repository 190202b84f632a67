import type { ComponentChildren } from "preact";

interface ChipsProps<Name extends string> {
  label: string;
  names: readonly Name[];
  chosen: Name | undefined;
  choose(name: Name): void;
  /** Returns the content of a button, by default its name. */
  content?(name: Name): ComponentChildren;
  disabled?: boolean;
}

export function Chips<Name extends string>({
  label,
  names,
  chosen,
  choose,
  content = (name) => name,
  disabled,
}: ChipsProps<Name>) {
  return (
    <fieldset class="chips" aria-label={label}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={name === chosen}
          disabled={disabled}
          onClick={() => choose(name)}
        >
          <span>{content(name)}</span>
        </button>
      ))}
    </fieldset>
  );
}
