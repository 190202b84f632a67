import { type ControlProps, invalidAt, numberIn } from "./control";

interface PixelsProps<Name extends string>
  extends Omit<ControlProps, "value" | "set"> {
  names: readonly Name[];
  /** Returns the rest of an issue's path, after the field's name. */
  path(name: Name): string;
  read(name: Name): number | undefined;
  change(name: Name, number: number | undefined): void;
}

export function Pixels<Name extends string>({
  field,
  id,
  issues,
  describedBy,
  names,
  path,
  read,
  change,
}: PixelsProps<Name>) {
  return (
    <div class="pixels">
      {names.map((name) => {
        const number = read(name);
        return (
          <label key={name} class="pixel">
            <span>{name}</span>
            <input
              type="number"
              id={`${id}-${name}`}
              min={0}
              step={1}
              inputMode="numeric"
              value={number === undefined || Number.isNaN(number) ? "" : number}
              aria-describedby={describedBy}
              aria-invalid={
                invalidAt(issues, field.name) ||
                invalidAt(issues, field.name + path(name))
              }
              onInput={(event) => change(name, numberIn(event.currentTarget))}
            />
          </label>
        );
      })}
    </div>
  );
}
