// The size of a module, and of the library.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const SOURCES = new URL("../../gateway/upstream/", import.meta.url);
const MOST_BYTES = 10_000;
const MOST_LINES = 1_800;

test("a module with the library's own clients has at most 10 kB", async (t) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { falModel, geminiModel, openAiVideos, replicateModel, runwayModel, upstream, veoModel } from "mediagate-gateway/upstream";
        export default upstream({
          text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
          text_to_image_turbo: geminiModel("gemini-nano-banana-2.1", ({ prompt }) => ({ prompt })),
          text_to_video: {
            a: openAiVideos("sora-2", ({ prompt }) => ({ prompt })),
            b: replicateModel("a/b", ({ prompt }) => ({ prompt })),
            d: veoModel("veo-3.1-generate-preview", ({ prompt }) => ({ prompt })),
            c: runwayModel("text_to_video", ({ prompt }) => ({ model: "veo3.1", promptText: prompt, ratio: "1280:720" })),
          },
        });`,
      resolveDir: HERE,
      loader: "ts",
    },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const size = gzipSync(outputFiles[0].contents).byteLength;
  t.diagnostic(`${size} bytes with gzip`);
  assert.ok(size <= MOST_BYTES, `${size} bytes`);
});

test("the library has at most 1,800 lines of code, without its comments", async (t) => {
  const names = (await readdir(SOURCES)).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(
    names.map((name) => readFile(new URL(name, SOURCES), "utf8")),
  );
  const lines = texts
    .join("")
    .replaceAll(/\/\*.*?\*\//gs, "")
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/.*)?$/.test(line));
  t.diagnostic(`${lines.length} lines`);
  assert.ok(lines.length <= MOST_LINES, `${lines.length} lines`);
});
