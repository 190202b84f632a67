/** A volume, whose text is the value. The slider and the unit change the text. */
import { useRef } from "preact/hooks";
import { Chips } from "../../parts/Chips";
import {
  beyond,
  converted,
  NEUTRAL,
  SCALES,
  textOf,
  type Unit,
  type Volume as Value,
  volumeOf,
} from "../volume";
import { type ControlProps, inputAttributes } from "./control";

const UNITS = Object.keys(SCALES) as Unit[];

export function Volume(props: ControlProps) {
  const { field, id, value, set } = props;
  const text = typeof value === "string" ? value : "";
  const volume = volumeOf(text);
  const isBlank = text.trim() === "";
  const unit = volume?.unit ?? "times";
  const note = noteOf(volume, isBlank);
  const choose = useUnits(text, set);
  return (
    <div class="volume">
      <Chips
        label="Unit"
        names={UNITS}
        chosen={volume?.unit}
        choose={choose}
        content={(name) => SCALES[name].label}
        disabled={!volume && !isBlank}
      />
      <input
        type="range"
        min={SCALES[unit].min}
        max={SCALES[unit].max}
        step={SCALES[unit].step}
        value={(volume ?? converted(NEUTRAL, unit)).number}
        data-following={volume !== undefined}
        aria-label={`Volume, ${SCALES[unit].label.toLowerCase()}`}
        aria-valuetext={volume ? text : "not set"}
        aria-describedby={note && `${id}-note`}
        onInput={(event) =>
          set(textOf({ unit, number: event.currentTarget.valueAsNumber }))
        }
      />
      <input
        {...inputAttributes(props)}
        type="text"
        class="number"
        aria-label="Volume, as it is sent"
        autocomplete="off"
        value={text}
        aria-required={field.required}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {note && (
        <p class="facts" id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}

function noteOf(
  volume: Value | undefined,
  isBlank: boolean,
): string | undefined {
  if (isBlank)
    return "No volume is set: move the slider, choose a unit or enter one.";
  if (!volume)
    return "The slider shows only numbers such as 0.5, and decibels such as -6dB.";
  const end = beyond(volume);
  if (!end) return undefined;
  const { min, max } = SCALES[volume.unit];
  const [word, number] = end === "above" ? ["louder", max] : ["quieter", min];
  const limit = textOf({ unit: volume.unit, number });
  return `${textOf(volume)} is ${word} than the slider shows. It ends at ${limit}.`;
}

function useUnits(
  text: string,
  set: (text: string) => void,
): (unit: Unit) => void {
  const typed = useRef({ text, result: "" });
  return (unit) => {
    const volume = volumeOf(text);
    if (volume?.unit === unit) return;
    // Conversions round. Back in the first unit, an unchanged volume is the typed one again.
    const before = typed.current;
    const isBack =
      before.result === text && volumeOf(before.text)?.unit === unit;
    const result = isBack
      ? before.text
      : textOf(converted(volume ?? NEUTRAL, unit));
    typed.current = { text, result };
    set(result);
  };
}
