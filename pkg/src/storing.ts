import type { Media } from "./media.js";
import type { StoringMedia, TaskStore } from "./types/store.js";

interface Storing {
  readonly client: Media;
  readonly store: TaskStore;
}

/** The hidden member of a storing client. A proxy of a framework does not reach into a function. */
export interface StoringMember {
  readonly storing: () => Storing;
}

/** Returns the client and the store of a storing client; `undefined` for another client. */
export function storingOf(media: Media | StoringMedia): Storing | undefined {
  return (media as Partial<StoringMember>).storing?.();
}
