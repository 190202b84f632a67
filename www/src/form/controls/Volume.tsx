/** A volume: the text is the value; the slider and the unit change the text. */
import type { ControlProps } from "./control";

const UNITS = {
  times: { label: "Multiplier", min: 0, max: 4, step: 0.05, neutral: 1, text: (it: number) => String(it) },
  decibels: { label: "Decibels", min: -30, max: 30, step: 0.5, neutral: 0, text: (it: number) => `${it}dB` },
} as const;

type Unit = keyof typeof UNITS;

export function Volume({ field, id, value, set, issues, describedBy }: ControlProps) {
  const text = typeof value === "string" ? value : "";
  const unit: Unit = /db$/i.test(text.trim()) ? "decibels" : "times";
  const { min, max, step, neutral } = UNITS[unit];
  const number = Number.parseFloat(text);
  return (
    <div class="volume">
      <fieldset class="chips" aria-label="Unit">
        {(Object.keys(UNITS) as Unit[]).map((it) => (
          <button
            key={it}
            type="button"
            class="chip"
            aria-pressed={it === unit}
            onClick={() => set(UNITS[it].text(UNITS[it].neutral))}
          >
            <span>{UNITS[it].label}</span>
          </button>
        ))}
      </fieldset>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={Number.isNaN(number) ? neutral : number}
        aria-label={`Volume, ${UNITS[unit].label.toLowerCase()}`}
        onInput={(event) => set(UNITS[unit].text(event.currentTarget.valueAsNumber))}
      />
      <input
        type="text"
        id={id}
        name={field.name}
        class="number"
        aria-label="Volume, as it is sent"
        placeholder="0.5"
        autocomplete="off"
        value={text}
        aria-describedby={describedBy}
        aria-invalid={issues.length > 0}
        aria-required={field.required}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </div>
  );
}
