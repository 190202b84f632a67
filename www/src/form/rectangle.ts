/** A rectangle of a picture, in pixels from its top left corner; while it is being entered, members may be missing. */

export const SIDES = ["x", "y", "width", "height"] as const;

export type Rectangle = Partial<Record<(typeof SIDES)[number], number>>;

/** Tests if a rectangle has no pixels. It counts as none then. */
export function isWithoutArea(value: unknown): boolean {
  const { width, height } = (value ?? {}) as Rectangle;
  return width === 0 || height === 0;
}
