// The states and the progress of creates and pipelines before their response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { client, failure, mediagate, ok, textOf } from "./support/client.mjs";

const file = (name, size) =>
  new File(["x".repeat(size)], name, { type: "image/png" });

/** The calls that send a create with a file. */
const CALLS = {
  "POST generate/video/image_to_video": (media, options, source) =>
    media.imageToVideo({ file_id: source, prompt: "p" }, options),
  "POST pipelines": (media, options, source) =>
    media.pipelines.start(
      (p) => p.imageToVideo({ file_id: source, prompt: "p" }),
      options,
    ),
};

const routes = {
  "POST pipelines": () => ok({ pipeline: { id: "p/1", state: "RUNNING" } }),
};

for (const [line, call] of Object.entries(CALLS)) {
  test(`${line}: sending is awaited before the request`, async () => {
    const { seen, media } = await client(routes);
    const states = [];
    const onState = async (state) => {
      states.push(state);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (state === "sending") states.push(seen.lines.includes(line));
    };
    await call(media, { onState }, file("a.png", 3));
    assert.deepEqual(states, ["uploading", "sending", false]);
    assert.ok(seen.lines.includes(line));
  });

  test(`${line}: an error for sending ends the call`, async () => {
    for (const asynchronous of [true, false]) {
      const { seen, media } = await client(routes);
      const cause = new Error("full");
      const onState = (state) => {
        if (state !== "sending") throw new Error("ignored");
        if (asynchronous) return Promise.reject(cause);
        throw cause;
      };
      const result = call(media, { onState }, file("a.png", 3));
      const error = await failure(result, "aborted", "not_sent");
      assert.equal(error.cause, cause);
      assert.ok(!seen.lines.includes(line));
    }
  });

  test(`${line}: the progress of each file, and of all together`, async () => {
    const { media } = await client(routes);
    const seen = [];
    const onProgress = (progress) => seen.push(progress);
    const source = file("a.png", 3);
    await call(media, { onProgress }, source);
    const [first] = seen;
    assert.deepEqual(seen.at(-1), {
      loaded: 3,
      total: 3,
      files: [{ file: source, loaded: 3, total: 3 }],
    });
    assert.equal(first.files[0].file, source);
  });

  test(`${line}: an onState that is not a function is an error`, async () => {
    const { seen, media } = await client(routes);
    const result = call(media, { onState: 7 }, "f");
    const error = await failure(result, "invalid_argument", "not_sent");
    assert.match(textOf(error), /onState/);
    assert.deepEqual(seen.lines, []);
  });
}

test("the files of all fields and steps are in the order of the input", async () => {
  const { media } = await client(routes);
  const seen = [];
  const known = file("known.png", 5);
  await media.upload(known);
  const own = file("own.png", 2);
  const bytes = new Uint8Array(4);
  await media.pipelines.start(
    (p) => {
      p.imageToVideo({ file_id: known, prompt: "p" });
      p.omniReferenceToVideo({ prompt: "p", image_file_ids: [bytes, own] });
    },
    { onProgress: (progress) => seen.push(progress) },
  );
  const { loaded, total, files } = seen.at(-1);
  assert.deepEqual([loaded, total], [11, 11]);
  assert.deepEqual(
    files.map(({ file, total }) => [file.name, total]),
    [
      ["known.png", 5],
      ["", 4],
      ["own.png", 2],
    ],
  );
});

test("onState may call the client, and a repetition has no state of its own", async () => {
  let attempts = 0;
  const { media } = await client({
    "POST generate/image": () => {
      attempts += 1;
      if (attempts === 1) throw new TypeError("lost");
      return Response.json(mediagate.record("QUEUED"));
    },
  });
  const states = [];
  const onState = async (state) => {
    states.push(state);
    await media.estimate("text_to_image", { prompt: "p" });
  };
  await media.textToImage({ prompt: "p" }, { onState });
  assert.deepEqual([states, attempts], [["sending"], 2]);
});

test("an aborted signal ends the wait for onState", async () => {
  const { seen, media } = await client();
  const controller = new AbortController();
  const onState = () => {
    controller.abort();
    return new Promise(() => {});
  };
  const { signal } = controller;
  const result = media.textToImage({ prompt: "p" }, { onState, signal });
  await failure(result, "aborted", "not_sent");
  assert.deepEqual(seen.lines, []);
});
