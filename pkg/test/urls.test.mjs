// Files by their URL, and data URIs, instead of file ids.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startStack } from "../../tests/support/stack.mjs";
import { token } from "../../tests/support/token.mjs";
import {
  client,
  failure,
  mediagate,
  ok,
  serve,
  uploadUrl,
} from "./support/client.mjs";

const PHOTO = "https://cdn.test/photo.png";
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";
const PIXEL_BYTES = [137, 80, 78, 71, 13, 10, 26, 10];
const CREATE = "POST process/image/background_removal";

/**
 * Makes a client of a gateway that moves files. `stored` has the type and the bytes that its
 * storage got.
 */
async function uploading(routes = {}) {
  const stored = [];
  let count = 0;
  const own = await client({
    "POST files": () => ok({ file_id: "moved" }),
    "POST upload_urls": () => uploadUrl({ file_id: `f-${++count}` }),
    "PUT ": async (_, { headers, body }) => {
      const bytes = [...new Uint8Array(await body.arrayBuffer())];
      stored.push([headers.get("content-type"), bytes]);
      return new Response("");
    },
    ...routes,
  });
  return { ...own, stored };
}

const bodies = ({ lines, bodies }, start) =>
  bodies
    .filter((_, index) => lines[index].startsWith(start))
    .map((body) => JSON.parse(body));

test("the file at a URL is moved before the create, also in a list and in a step", async () => {
  const { seen, media } = await uploading({
    "POST pipelines": () =>
      ok({ pipeline: { id: "p", state: "RUNNING", steps: [] } }),
  });
  const file_id = { url: PHOTO };
  await media.backgroundRemoval({ file_id });
  assert.deepEqual(bodies(seen, "POST files"), [{ url: PHOTO, kind: "image" }]);
  assert.deepEqual(bodies(seen, CREATE), [{ file_id: "moved" }]);

  const film = { url: "https://cdn.test/film", type: "video/mp4" };
  const input = { prompt: "p", image_file_ids: ["id", file_id] };
  await media.omniReferenceToVideo({ ...input, video_file_ids: [film] });
  assert.deepEqual(bodies(seen, "POST generate"), [
    { prompt: "p", image_file_ids: ["id", "moved"], video_file_ids: ["moved"] },
  ]);
  const { url, type } = film;
  const expected = { url, content_type: type, kind: "video" };
  assert.deepEqual(bodies(seen, "POST files").at(-1), expected);

  await media.pipelines.start((p) => {
    const cut = p.backgroundRemoval({ file_id }, { name: "cut" });
    p.omniReferenceToVideo(
      { prompt: "p", image_file_ids: [cut, file_id, PIXEL] },
      { name: "film" },
    );
  });
  const [{ steps }] = bodies(seen, "POST pipelines");
  assert.deepEqual(steps.cut.input, { file_id: "moved" });
  assert.deepEqual(steps.film.input.image_file_ids, [
    { step: "cut" },
    "moved",
    "f-1",
  ]);
});

test("a data URI is uploaded as a file only where a file may be", async () => {
  const { seen, stored, media } = await uploading();
  const data = { url: PIXEL };
  await media.omniReferenceToVideo({
    prompt: PIXEL,
    image_file_ids: [PIXEL, data],
  });
  assert.deepEqual(stored, Array(2).fill(["image/png", PIXEL_BYTES]));
  const [sent] = bodies(seen, "POST generate");
  assert.equal(sent.prompt, PIXEL);
  assert.deepEqual(sent.image_file_ids.toSorted(), ["f-1", "f-2"]);
  assert.deepEqual(bodies(seen, "POST upload_urls")[0], {
    file_name: "file.png",
    content_type: "image/png",
    size: 8,
  });
  // The object gives the same file when the create is repeated.
  for (let count = 0; count < 2; count++)
    await media.backgroundRemoval({ file_id: data }, { idempotencyKey: "k" });
  const ids = bodies(seen, CREATE).map(({ file_id }) => file_id);
  assert.deepEqual(ids, ["f-3", "f-3"]);
});

test("data URIs are decoded as browsers decode them", async () => {
  for (const [uri, type, text] of [
    [
      "data:image/svg+xml,%3Csvg%3E%20é</svg>",
      "image/svg+xml",
      "<svg> é</svg>",
    ],
    [
      "DATA:image/SVG+xml;charset=utf-8,100%&",
      "image/svg+xml;charset=utf-8",
      "100%&",
    ],
    ["data:image/png;base64,aGk%3D", "image/png", "hi"],
    ["data:image/png;x=y;BASE64, aG k= ", "image/png;x=y", "hi"],
    ["data:image/png,a,b#fragment", "image/png", "a,b"],
  ]) {
    const { stored, media } = await uploading();
    await media.backgroundRemoval({ file_id: uri });
    const bytes = [...new TextEncoder().encode(text)];
    assert.deepEqual(stored, [[type, bytes]], uri);
    const fetched = await (await fetch(uri)).arrayBuffer();
    assert.deepEqual([...new Uint8Array(fetched)], bytes, uri);
  }
  const { stored, media } = await uploading();
  await media.backgroundRemoval({ file_id: "data:image/png,%ff%00" });
  assert.deepEqual(stored, [["image/png", [255, 0]]]);
});

test("an invalid URL of a file or data URI is an issue before anything is sent", async () => {
  const { seen, media } = await uploading();
  for (const [url, message] of /** @type {[any, RegExp][]} */ ([
    ["data:image/png;base64,*", /^is a malformed data URI; give a File/],
    ["data:image/png", /^is a malformed data URI/],
    ["data:image/png,", /^is an empty file/],
    ["data:video/mp4,x", /^is a file of another kind; give an image$/],
    ["data:,x", /^is a file of another kind/],
    [new URL(PHOTO), /^is an object/],
  ])) {
    const values = [{ url }, ...(/^data/.test(url) ? [url] : [])];
    for (const file_id of values) {
      const error = await failure(media.backgroundRemoval({ file_id }));
      const [issue] = error.issues;
      assert.equal(issue.path, "file_id");
      assert.match(issue.message, message, String(url));
      const issues = await mediagate.validate("background_removal", {
        file_id,
      });
      assert.deepEqual(issues, error.issues);
    }
  }
  assert.deepEqual(seen.lines, []);
});

test("the gateway makes a video of the picture at a URL, and no byte passes through the page", async (t) => {
  const bytes = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  );
  const url = await serve(t, (_, response) => {
    const headers = { "content-type": "image/png" };
    response.writeHead(200, { ...headers, "content-length": bytes.length });
    response.end(bytes);
  });
  const stack = await startStack({
    flags: ["--task-seconds", "0"],
    assets: false,
    settings: { INPUT_HOSTS: new URL(url).host },
  });
  t.after(() => stack.stop());
  const hosts = new Set();
  const seen = (target, init) => {
    hosts.add(new URL(target).origin);
    return fetch(target, init);
  };
  const media = await mediagate.connect({
    url: stack.url,
    token: token(),
    fetch: seen,
  });
  const task = await media.imageToVideo({
    prompt: "slow push in",
    duration_seconds: 1,
    file_id: { url: `${url}/photo.png` },
  });
  const { outputs } = await task.done();
  assert.equal(outputs[0].kind, "video");
  assert.deepEqual([...hosts], [stack.url]);
});
