/** One of the offered values, or any other: the list of values is open. */
import { useState } from "preact/hooks";
import { Chip } from "./Chip";
import type { ControlProps } from "./control";

export function Choice({
  field,
  id,
  value,
  set,
  issues,
  describedBy,
  offered,
  noteOf,
}: ControlProps) {
  const values = offered.map(String);
  const text = typeof value === "string" ? value : "";
  const [isOther, setOther] = useState(false);
  // A form that is reset or filled with a task's values may have no value here, and the offered ones may arrive later.
  const free =
    (isOther && value !== undefined) || (text !== "" && !values.includes(text));
  const options = [
    ...(field.default === null ? [{ label: "Default", value: "" }] : []),
    ...values.map((it) => ({ label: it, value: it })),
  ];
  const choose = (it: string) => {
    setOther(false);
    set(it);
  };
  const chooseOther = () => {
    setOther(true);
    set(text);
  };
  return (
    <div class="choice">
      <div class="chips">
        {options.map((it) => (
          <Chip
            key={it.value}
            name={id}
            label={it.label}
            note={noteOf?.(it.value)}
            checked={!free && text === it.value}
            choose={() => choose(it.value)}
          />
        ))}
        <Chip name={id} label="Other" checked={free} choose={chooseOther} />
      </div>
      {free && (
        <input
          type="text"
          id={id}
          dir="auto"
          aria-label={`Other ${field.name.replaceAll("_", " ")}`}
          value={text}
          aria-describedby={describedBy}
          aria-invalid={issues.length > 0}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      {free && text === "" && (
        <p class="facts">Nothing is entered, so the default is used.</p>
      )}
    </div>
  );
}
