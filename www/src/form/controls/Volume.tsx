/** A volume, whose text is the value. The slider and the unit change the text. */
import {
  convertVolume,
  formatVolume,
  NEUTRAL_VOLUME,
  parseVolume,
  type Volume as Value,
  VOLUME_SCALES,
  type VolumeUnit,
} from "mediagate/forms";
import { useRef } from "preact/hooks";
import { Chips } from "../../parts/Chips";
import { type ControlProps, inputAttributes } from "./control";

const LABELS = { times: "Multiplier", decibels: "Decibels" };
const UNITS = Object.keys(LABELS) as VolumeUnit[];

export function Volume(props: ControlProps) {
  const { field, id, value, set } = props;
  const text = typeof value === "string" ? value : "";
  const volume = parseVolume(text);
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
        content={(name) => LABELS[name]}
        disabled={!volume && !isBlank}
      />
      <input
        type="range"
        min={VOLUME_SCALES[unit].min}
        max={VOLUME_SCALES[unit].max}
        step={VOLUME_SCALES[unit].step}
        value={(volume ?? convertVolume(NEUTRAL_VOLUME, unit)).number}
        data-following={volume !== undefined}
        aria-label={`Volume, ${LABELS[unit].toLowerCase()}`}
        aria-valuetext={volume ? text : "not set"}
        aria-describedby={note && `${id}-note`}
        onInput={(event) =>
          set(formatVolume({ unit, number: event.currentTarget.valueAsNumber }))
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
  const { min, max } = VOLUME_SCALES[volume.unit];
  if (volume.number >= min && volume.number <= max) return undefined;
  const isLouder = volume.number > max;
  const [word, number] = isLouder ? ["louder", max] : ["quieter", min];
  const limit = formatVolume({ unit: volume.unit, number });
  return `${formatVolume(volume)} is ${word} than the slider shows. It ends at ${limit}.`;
}

function useUnits(
  text: string,
  set: (text: string) => void,
): (unit: VolumeUnit) => void {
  const typed = useRef({ text, result: "" });
  return (unit) => {
    const volume = parseVolume(text);
    if (volume?.unit === unit) return;
    // Conversions round. Back in the first unit, an unchanged volume is the typed one again.
    const before = typed.current;
    const isBack =
      before.result === text && parseVolume(before.text)?.unit === unit;
    const result = isBack
      ? before.text
      : formatVolume(convertVolume(volume ?? NEUTRAL_VOLUME, unit));
    typed.current = { text, result };
    set(result);
  };
}
