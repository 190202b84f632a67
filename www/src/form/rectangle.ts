/** Rectangles of a picture, in pixels from its top left corner. */

export const SIDES = ["x", "y", "width", "height"] as const;

export type Rectangle = Partial<Record<(typeof SIDES)[number], number>>;

export type Size = Required<Pick<Rectangle, "width" | "height">>;

/** Returns true if a rectangle has no pixels, so that it counts as blank. */
export function isWithoutArea(value: unknown): boolean {
  const { width, height } = (value ?? {}) as Rectangle;
  return width === 0 || height === 0;
}
