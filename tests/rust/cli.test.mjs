// The example of a command line tool, with a gateway and the emulator.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { picture } from "../support/fixtures.mjs";
import { folder } from "../support/folder.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { TIMEOUT_MS } from "../support/within.mjs";

const cwd = await folder({ after });
let stack;
const cli = process.env.MEDIA_CLI ?? "target/debug/media-cli";
before(async () => {
  stack = await startStack({ assets: false });
  await writeFile(join(cwd, "one.png"), picture(16, 16));
});
after(() => stack?.stop());

/**
 * Runs the tool on a request.
 *
 * @param {string} capability
 * @param {unknown} request an object, or text that need not be JSON
 * @param {Record<string, string>} env
 */
async function run(capability, request, env = { MEDIAGATE_TOKEN: token() }) {
  await writeFile(
    join(cwd, "request.json"),
    typeof request === "string" ? request : JSON.stringify(request),
  );
  const options = {
    cwd,
    env: { PATH: process.env.PATH, MEDIAGATE_URL: stack.url, ...env },
    timeout: TIMEOUT_MS,
  };
  const args = [capability, "request.json"];
  // A failure has the output, too.
  return promisify(execFile)(cli, args, options).catch((failure) => failure);
}

test("a request with a file becomes the URL of its result", async () => {
  const { stdout, stderr } = await run("image_to_video", {
    file_id: "@one.png",
    prompt: "@@home, slow push in",
  });
  assert.match(stdout, /^https?:\/\/\S+\n$/, stderr);
  const video = await fetch(stdout.trim());
  assert.equal(video.status, 200);
  assert.match(video.headers.get("content-type") ?? "", /^video\//);
});

test("without a token, the tool tells how to get one", async () => {
  const { stdout, stderr } = await run(
    "text_to_image",
    { prompt: "a lighthouse" },
    {},
  );
  assert.equal(stdout, "");
  assert.match(stderr, /--token <TOKEN>/);
});

test("an error in a request is reported with its remedy", async () => {
  const invalid = await run("image_to_video", { prompt: 7 });
  assert.equal(invalid.stdout, "");
  assert.match(invalid.stderr, /prompt: .*\n.*file_id|file_id: .*\n.*prompt/);
  assert.match(
    (await run("no_such_thing", {})).stderr,
    /no_such_thing.*\n.*possible values: add_audio_to_video/,
  );
  assert.match(
    (await run("image_to_video", { file_id: "@missing.png" })).stderr,
    /file_id: missing\.png cannot be read/,
  );
  assert.match(
    (await run("image_to_video", "[]")).stderr,
    /is not a JSON object/,
  );
  assert.match((await run("image_to_video", "{")).stderr, /is not JSON/);
});
