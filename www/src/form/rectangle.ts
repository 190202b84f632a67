/** Rectangles of a picture, in pixels from its top left corner. */

export const SIDES = ["x", "y", "width", "height"] as const;

export type Rectangle = Partial<Record<(typeof SIDES)[number], number>>;

export type Size = Required<Pick<Rectangle, "width" | "height">>;
