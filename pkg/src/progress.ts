import type { FileProgress, UploadProgress } from "./types/calls.js";

/** Returns the progress of files, each and all together. */
export function sumOf(files: readonly FileProgress[]): UploadProgress {
  const sum = { loaded: 0, total: 0, files };
  for (const { loaded, total } of files) {
    sum.loaded += loaded;
    sum.total += total;
  }
  return sum;
}
