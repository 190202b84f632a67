// The types of the client for tests of components.

import type { Media } from "mediagate";
import { type UploadState, useUpload } from "mediagate/react";
import { openStore } from "mediagate/store";
import { type FakeMedia, fakeMedia, MediagateError } from "mediagate/testing";

export async function fakes(): Promise<Media> {
  const media: FakeMedia = fakeMedia({
    text_to_image: [
      { state: "RUNNING", progress: 0.5 },
      Promise.resolve({ state: "SUCCEEDED", outputs: [{ url: "/a.png" }] }),
    ],
    image_to_video: new MediagateError({ code: "network", message: "none" }),
    merge_pdf: async ({ input_file_ids: [first] }) => [
      { state: first ? "SUCCEEDED" : "FAILED", error: { message: "empty" } },
    ],
    upload: ({ size }) => `file of ${size} bytes`,
    models: { models: [{ model_id: "m" }] },
    estimate: { credits: 2 },
  });
  // @ts-expect-error no such capability
  fakeMedia({ text_to_imag: [] });
  // @ts-expect-error an output has no id
  fakeMedia({ text_to_image: [{ outputs: [{ id: "a" }] }] });
  // @ts-expect-error a list of steps
  fakeMedia({ text_to_image: { state: "SUCCEEDED" } });
  const names: (string | undefined)[] = media.calls.map(({ name }) => name);
  void names;
  (await openStore()).keep(media);
  await media.ready({ maxRetries: 0 });
  return media;
}

export function useFake(media: FakeMedia): UploadState {
  return useUpload({ media });
}
