/** Volumes as text: a multiplier such as `0.5`, or decibels such as `-6dB`. */

export type Unit = "times" | "decibels";

export interface Volume {
  unit: Unit;
  number: number;
}

export const SCALES: Record<
  Unit,
  { label: string; min: number; max: number; step: number }
> = {
  times: { label: "Multiplier", min: 0, max: 4, step: 0.05 },
  decibels: { label: "Decibels", min: -30, max: 30, step: 0.5 },
};

/** The volume that leaves a sound as it is. */
export const NEUTRAL: Volume = { unit: "times", number: 1 };

/** The decibels that stand for silence: below the quietest sound of 16 bits. */
const SILENCE_DECIBELS = -100;
/** The largest share by which rounding to a step may move a number. Decibels move it by 3 %. */
const MAX_ROUNDING = 0.03;

/** Parses a volume; `undefined` for text that is none, or that only the media service may read. */
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

/** Converts a volume into a unit, on a step of its slider if that is near. */
export function converted({ unit, number }: Volume, to: Unit): Volume {
  if (unit === to) return { unit, number };
  if (to === "times") return { unit: to, number: rounded(10 ** (number / 20)) };
  const decibels = number > 0 ? 20 * Math.log10(number) : SILENCE_DECIBELS;
  return { unit: to, number: onStep(decibels, SCALES.decibels.step) };
}

/** Returns the end of the slider that a volume is beyond, if any. */
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

function onStep(number: number, step: number): number {
  // `toFixed` removes the errors of binary fractions, and `|| 0` the sign of -0.
  return Number((Math.round(number / step) * step).toFixed(2)) || 0;
}
