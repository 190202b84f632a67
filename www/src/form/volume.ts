/** Volumes as text: a multiplier such as `0.5`, or decibels such as `-6dB`. */

export type Unit = "times" | "decibels";

export interface Volume {
  unit: Unit;
  number: number;
}

/** The slider of each unit. */
export const SCALES: Record<
  Unit,
  { label: string; min: number; max: number; step: number }
> = {
  times: { label: "Multiplier", min: 0, max: 4, step: 0.05 },
  decibels: { label: "Decibels", min: -30, max: 30, step: 0.5 },
};

/** The sound as it is. */
export const NEUTRAL: Volume = { unit: "times", number: 1 };

/** Silence has no value in decibels; this is below the quietest sound of 16 bits. */
const SILENCE_DECIBELS = -100;
/** How far a converted number may be moved to the slider's step. A step of half a decibel moves it by 3 % at most. */
const MAX_ROUNDING = 0.03;

/** `undefined` for a string that is no volume, or one that only the media service may read. */
export function volumeOf(text: string): Volume | undefined {
  const [, times, decibels] =
    /^(?:\+?(\d+\.?\d*|\.\d+)|([+-]?(?:\d+\.?\d*|\.\d+))dB)$/.exec(
      text.trim(),
    ) ?? [];
  if (times !== undefined) return { unit: "times", number: Number(times) };
  return decibels === undefined
    ? undefined
    : { unit: "decibels", number: Number(decibels) };
}

export function textOf({ unit, number }: Volume): string {
  return unit === "decibels" ? `${number}dB` : `${number}`;
}

/** The same loudness in a unit: on its slider's step, where that is nearly the same. */
export function converted({ unit, number }: Volume, to: Unit): Volume {
  if (unit === to) return { unit, number };
  if (to === "times") return { unit: to, number: rounded(10 ** (number / 20)) };
  const decibels = number > 0 ? 20 * Math.log10(number) : SILENCE_DECIBELS;
  return { unit: to, number: onStep(decibels, SCALES.decibels.step) };
}

/** Beyond which end of its unit's slider a volume is. */
export function beyond({
  unit,
  number,
}: Volume): "below" | "above" | undefined {
  const { min, max } = SCALES[unit];
  if (number < min) return "below";
  return number > max ? "above" : undefined;
}

function rounded(times: number): number {
  const near = onStep(times, SCALES.times.step);
  const isSilent = times <= 10 ** (SILENCE_DECIBELS / 20);
  return isSilent || Math.abs(near - times) <= times * MAX_ROUNDING
    ? near
    : Number(times.toPrecision(2));
}

/** The nearest multiple of a step, without the errors of binary fractions; never -0. */
function onStep(number: number, step: number): number {
  return Number((Math.round(number / step) * step).toFixed(2)) || 0;
}
