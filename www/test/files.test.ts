import { expect, test } from "vitest";
import type { Field } from "../src/catalogue";
import { take } from "../src/form/files";

const IMAGE = { name: "file_id", kind: "file", media: "image" } as Field;
const PICTURE = new File(["x"], "b.png", { type: "image/png" });
const UNKNOWN = new File(["x"], "raw");

test.each([
  [
    new File(["x"], "notes.txt", { type: "text/plain" }),
    "notes.txt is a file of another kind, and this field needs an image, such as a PNG or JPEG.",
  ],
  [
    new File(["x"], "a.wav", { type: "audio/wav" }),
    "a.wav is a sound, and this field needs an image, such as a PNG or JPEG.",
  ],
])("a file of a wrong kind is refused by name", (file, notice) => {
  expect(take(IMAGE, [PICTURE], [file])).toEqual({ files: [PICTURE], notice });
});

test("a field for one file takes the first that fits, or has no type", () => {
  expect(take(IMAGE, [PICTURE], [UNKNOWN, PICTURE])).toEqual({
    files: [UNKNOWN],
    notice: "This field takes one file: only raw was taken.",
  });
  const list = { ...IMAGE, kind: "files" } as Field;
  const { files, notice } = take(list, [PICTURE], [UNKNOWN, PICTURE]);
  expect(files).toEqual([PICTURE, UNKNOWN, PICTURE]);
  expect(notice).toBe("");
});
