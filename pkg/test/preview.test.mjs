// mediagate/preview without a page: files of outputs, and the orientation of a photo.
// tests/packaging has it in a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCut } from "../dist/preview/cut.js";
import { orientationOf } from "../dist/preview/orientation.js";
import { fileOf, uprightOf } from "../dist/preview.js";
import { failure } from "./support/client.mjs";

const URL = "https://h.test/a";

/** Makes `fetch` respond with a body of a media type during a test. */
const respond = (t, type, init = {}) =>
  t.mock.method(
    globalThis,
    "fetch",
    async () =>
      new Response("a", { headers: { "content-type": type }, ...init }),
  );

const cases = /** @type {const} */ ([
  ["Split PDF 2", "application/pdf", "pdf", "split-pdf-2.pdf"],
  ["Löwe & Bär!", "image/jpeg", "image", "löwe-bär.jpg"],
  ["", "video/quicktime", "video", "output.mov"],
  ["Song", "application/octet-stream", "audio", "song.mp3"],
  ["Song", "audio/x-wav", undefined, "song.wav"],
  ["Page", "text/html", undefined, "page.bin"],
  // A letter is not cut from its marks.
  ["कि".repeat(50), "image/png", "image", `${"कि".repeat(40)}.png`],
  [`a${"कि".repeat(50)}`, "image/png", "image", `a${"कि".repeat(39)}.png`],
]);

for (const [title, type, kind, name] of cases)
  test(`"${title.slice(0, 20)}" of ${type} is ${name.slice(0, 20)}`, async (t) => {
    respond(t, type);
    const file = await fileOf({ url: URL, kind }, title);
    assert.equal(file.name, name);
    assert.equal(await file.text(), "a");
  });

test("a file has its host's media type, or else that of its kind", async (t) => {
  respond(t, "audio/wav");
  assert.equal((await fileOf({ url: URL, kind: "audio" })).type, "audio/wav");
  respond(t, "binary/octet-stream");
  assert.equal((await fileOf({ url: URL, kind: "video" })).type, "video/mp4");
});

test("an expired URL and an asset have no file", async (t) => {
  respond(t, "text/plain", { status: 403 });
  await failure(fileOf({ url: URL, kind: "image" }), "unreadable");
  await failure(fileOf({ kind: "image" }), "invalid_argument");
});

/** Makes the beginning of a JPEG whose EXIF has an orientation. */
function photo(orientation, isLittle) {
  const bytes = new Uint8Array(60);
  const view = new DataView(bytes.buffer);
  const write = (at, values) =>
    values.forEach((value, index) => {
      view.setUint8(at + index, value);
    });
  // A segment of JFIF comes first, without its content.
  write(0, [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xe1, 0, 40]);
  write(12, [...new TextEncoder().encode("Exif"), 0, 0]);
  const order = isLittle ? "II" : "MM";
  write(18, [...new TextEncoder().encode(order)]);
  view.setUint16(20, 42, isLittle);
  view.setUint32(22, 8, isLittle);
  view.setUint16(26, 2, isLittle);
  // The length of the image, and its orientation.
  view.setUint16(28, 0x0101, isLittle);
  view.setUint16(40, 0x0112, isLittle);
  view.setUint16(42, 3, isLittle);
  view.setUint32(44, 1, isLittle);
  view.setUint16(48, orientation, isLittle);
  return bytes;
}

test("the orientation of a photo is read in both orders of bytes", async () => {
  for (const isLittle of [true, false])
    for (const orientation of [1, 3, 6, 8]) {
      const read = await orientationOf(
        new Blob([photo(orientation, isLittle)]),
      );
      assert.equal(read, orientation);
    }
});

test("a file without an orientation is upright, and is not touched", async () => {
  const [jpeg, none] = [{ type: "image/jpeg" }, new Uint8Array(0)];
  const rest = new Uint8Array(40);
  const without = [
    none,
    rest,
    Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 4, ...rest),
    Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, ...rest),
  ];
  for (const bytes of without)
    assert.equal(await orientationOf(new Blob([bytes])), 1);
  // Node draws no photo, and this one ends too early.
  const broken = [photo(6, true), photo(6, true).subarray(0, 30)];
  for (const bytes of [...without, ...broken]) {
    const file = new File([bytes], "a.jpg", jpeg);
    assert.equal(await uprightOf(file), file);
  }
});

/** Makes a box of an MP4 with a number of bytes after its header. */
function box(type, length, size = 8 + length) {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, Buffer.alloc(length)]);
}

/** Makes a box whose size has 64 bits. */
function largeBox(type, length, size = 16 + length) {
  const large = box(type, 8 + length, 1);
  large.writeBigUInt64BE(BigInt(size), 8);
  return large;
}

function riff(length, size = 4 + length) {
  const header = Buffer.from("RIFF....WAVE");
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, Buffer.alloc(length)]);
}

test("a file is cut off if it ends before its header says", async () => {
  const cut = (...parts) => isCut(new Blob(parts));
  const [brand, index] = [box("ftyp", 8), box("moov", 20)];
  for (const whole of [
    [brand, index, box("mdat", 50)],
    [brand, box("free", 0), largeBox("mdat", 50), index],
    [brand, index, box("mdat", 50, 0)],
    // Bytes that are no box after the last one.
    [brand, index, Buffer.from("padding and more")],
    [brand, index, Buffer.alloc(40)],
    [riff(40)],
    [riff(40, 0xffff_ffff)],
    [Buffer.from("not a video")],
    ["", ""],
    ["short"],
  ])
    assert.equal(await cut(...whole), false, String(whole));
  for (const part of [
    [brand, box("mdat", 50, 200)],
    [brand, index, largeBox("mdat", 50, 200)],
    [brand, index, box("mdat", 10), box("moof", 5, 60)],
    [riff(40, 90)],
  ])
    assert.equal(await cut(...part), true, String(part));
});
