/** A number, whole or not. */
import { type ControlProps, numberIn } from "./control";

export function NumberInput({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
  offered,
}: ControlProps) {
  const list = offered.length > 0 ? `${id}-offered` : undefined;
  return (
    <>
      {list && (
        <datalist id={list}>
          {offered.map((number) => (
            <option key={String(number)} value={String(number)} />
          ))}
        </datalist>
      )}
      <input
        list={list}
        type="number"
        class="number"
        id={id}
        name={field.name}
        value={typeof value === "number" && !Number.isNaN(value) ? value : ""}
        min={field.minimum}
        step={field.kind === "integer" ? 1 : "any"}
        inputMode={field.kind === "integer" ? "numeric" : "decimal"}
        aria-describedby={describedBy}
        aria-invalid={issues.length > 0}
        aria-required={field.required}
        onInput={(event) => set(numberIn(event.currentTarget))}
      />
    </>
  );
}
