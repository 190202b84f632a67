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
  /** `locked` for a file with a password, `damaged` for a file that is not what its type says. */
  readonly problem?: "locked" | "damaged" | undefined;
}
