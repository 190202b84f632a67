/** The properties of a file, as far as they are known. */
export interface FileFacts {
  /** The width of an image or a video in pixels. */
  readonly width?: number | undefined;
  /** The height of an image or a video in pixels. */
  readonly height?: number | undefined;
  /** The duration of a video or a sound in seconds. */
  readonly duration?: number | undefined;
  /** The number of pages in a PDF. */
  readonly pages?: number | undefined;
  /**
   * `locked` for a file with a password, `cut` for a file whose end is missing, `damaged` for a
   * file that is not what its type says, and `not_shown` for a file that the browser cannot show,
   * which other programs may read.
   */
  readonly problem?: "locked" | "cut" | "damaged" | "not_shown" | undefined;
}
