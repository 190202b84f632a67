/** One of the offered values, or any other: the list of values is open. */
import { useState } from "preact/hooks";
import type { ControlProps } from "./control";

export function Choice({ field, id, value, set, issues, describedBy, offered }: ControlProps) {
  const values = offered.map(String);
  const text = typeof value === "string" ? value : "";
  const [free, setFree] = useState(text !== "" && !values.includes(text));
  const options = [
    ...(field.default === null ? [{ label: "Default", value: "" }] : []),
    ...values.map((it) => ({ label: it, value: it })),
  ];
  const choose = (it: string) => {
    setFree(false);
    set(it);
  };
  return (
    <div class="choice">
      <div class="chips">
        {options.map((it) => (
          <Chip
            key={it.value}
            name={id}
            label={it.label}
            checked={!free && text === it.value}
            choose={() => choose(it.value)}
          />
        ))}
        <Chip name={id} label="Other" checked={free} choose={() => setFree(true)} />
      </div>
      {free && (
        <input
          type="text"
          id={id}
          aria-label={`Other ${field.name.replaceAll("_", " ")}`}
          value={text}
          aria-describedby={describedBy}
          aria-invalid={issues.length > 0}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function Chip(props: { name: string; label: string; checked: boolean; choose(): void }) {
  return (
    <label class="chip">
      <input type="radio" name={props.name} checked={props.checked} onChange={props.choose} />
      <span>{props.label}</span>
    </label>
  );
}
