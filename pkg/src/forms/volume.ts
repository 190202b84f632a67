/** Volumes as text: a multiplier such as `0.5`, or decibels such as `-6dB`. */

/** The unit of a volume. */
export type VolumeUnit = "times" | "decibels";

/** A volume: a multiplier, or decibels of gain. */
export interface Volume {
  readonly unit: VolumeUnit;
  readonly number: number;
}

/** The numbers of a slider. */
export interface VolumeScale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** A scale for each unit, with the usual volumes. Louder and quieter ones are valid, too. */
export const VOLUME_SCALES: Readonly<Record<VolumeUnit, VolumeScale>> = {
  times: { min: 0, max: 4, step: 0.05 },
  decibels: { min: -30, max: 30, step: 0.5 },
};

/** The volume that leaves a sound as it is. */
export const NEUTRAL_VOLUME: Volume = { unit: "times", number: 1 };

/** The decibels that stand for silence: below the quietest sound of 16 bits. */
const SILENCE_DECIBELS = -100;
/** The largest share by which rounding to a step may move a number. Decibels move it by 3 %. */
const MAX_ROUNDING = 0.03;

/** Parses a volume; `undefined` for text that is none, or that only the media service may read. */
export function parseVolume(text: string): Volume | undefined {
  const [, times, decibels] =
    /^(?:\+?(\d+\.?\d*|\.\d+)|([+-]?(?:\d+\.?\d*|\.\d+))dB)$/.exec(
      text.trim(),
    ) ?? [];
  if (times !== undefined) return { unit: "times", number: Number(times) };
  return decibels === undefined
    ? undefined
    : { unit: "decibels", number: Number(decibels) };
}

/** Formats a volume as a field takes it, such as `0.5` or `-6dB`. */
export function formatVolume({ unit, number }: Volume): string {
  return unit === "decibels" ? `${number}dB` : `${number}`;
}

/** Converts a volume into a unit, on a step of its scale if that is near. */
export function convertVolume(
  { unit, number }: Volume,
  to: VolumeUnit,
): Volume {
  if (unit === to) return { unit, number };
  if (to === "times") return { unit: to, number: rounded(10 ** (number / 20)) };
  const decibels = number > 0 ? 20 * Math.log10(number) : SILENCE_DECIBELS;
  return { unit: to, number: onStep(decibels, VOLUME_SCALES.decibels.step) };
}

function rounded(times: number): number {
  const near = onStep(times, VOLUME_SCALES.times.step);
  const isSilent = times <= 10 ** (SILENCE_DECIBELS / 20);
  return isSilent || Math.abs(near - times) <= times * MAX_ROUNDING
    ? near
    : Number(times.toPrecision(2));
}

function onStep(number: number, step: number): number {
  // `toFixed` removes the errors of binary fractions, and `|| 0` the sign of -0.
  return Number((Math.round(number / step) * step).toFixed(2)) || 0;
}
