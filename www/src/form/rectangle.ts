/** A rectangle of a picture, in pixels from its top left corner; while it is being entered, members may be missing. */

export const SIDES = ["x", "y", "width", "height"] as const;

export type Rectangle = Partial<Record<(typeof SIDES)[number], number>>;

/** Whether it is a rectangle of no pixels, which counts as none. */
export function isWithoutArea(value: unknown): boolean {
  const { width, height } = (value ?? {}) as Rectangle;
  return width === 0 || height === 0;
}
