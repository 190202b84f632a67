import { type ControlProps, inputAttributes, numberIn } from "./control";

export function NumberInput(props: ControlProps) {
  const { field, id, value, set, offered } = props;
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
        {...inputAttributes(props)}
        list={list}
        type="number"
        class="number"
        value={typeof value === "number" && !Number.isNaN(value) ? value : ""}
        min={field.minimum}
        step={field.kind === "integer" ? 1 : "any"}
        inputMode={field.kind === "integer" ? "numeric" : "decimal"}
        aria-required={field.required}
        onInput={(event) => set(numberIn(event.currentTarget))}
      />
    </>
  );
}
