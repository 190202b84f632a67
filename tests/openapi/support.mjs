// Shared by the tests of the document: the tools, and files and ids for the callers.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { request } from "../support/request.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the path of a program from the Python packages in requirements.txt. */
export const python = (name) => `${root}.tools/python/openapi/bin/${name}`;
/** Returns the path of a program from the npm packages of this folder. */
export const npm = (name) => `${here}generators/node_modules/.bin/${name}`;

/**
 * Runs a program to its end.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} env added to this process's
 * @returns {Promise<{ code: number, output: string }>} `output` is stdout and stderr together
 */
export function run(program, args, env = {}) {
  const child = spawn(program, args, {
    cwd: here,
    env: { ...process.env, ...env, NO_COLOR: "1", FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) =>
    child
      .once("error", reject)
      .once("close", (code) => resolve({ code, output })),
  );
}

/** Sends a request to a server that responds with an envelope, and returns its `data`. */
async function call(url, path, bearer, body) {
  const { code, data, text } = await request(url + path, {
    bearer,
    headers: { "content-type": "application/json" },
    body,
  });
  if (code !== 0) throw new Error(`${path}: ${text}`);
  return data;
}

/** Uploads bytes, and returns the file's id. */
async function upload(url, bearer, name, type, bytes) {
  const data = await call(url, "/api/app/v1/upload_urls", bearer, {
    file_name: name,
    content_type: type,
    size: bytes.length,
  });
  const headers = { "content-type": type, authorization: `Bearer ${bearer}` };
  const put = await fetch(data.upload_url, {
    method: "PUT",
    headers,
    body: bytes,
  });
  if (!put.ok) throw new Error(`the storage responded with ${put.status}`);
  return data.file_id;
}

/** Makes a video of one second with the emulator, and returns its bytes. */
export async function makeVideo(emulator, key) {
  const input = {
    avatar_asset_id: "avatar_public",
    voice_asset_id: "voice_public",
    text: "Hello",
    duration_seconds: 1,
    clarity: "480P",
  };
  let { task } = await call(
    emulator,
    "/api/app/v1/generate/video/text_driven",
    key,
    input,
  );
  while (!["SUCCEEDED", "FAILED"].includes(task.status)) {
    await sleep(100);
    ({ task } = await call(
      emulator,
      `/api/app/v1/generate/tasks/${task.id}`,
      key,
    ));
  }
  return Buffer.from(await (await fetch(task.output_url)).arrayBuffer());
}

/** Returns an id of each format, for a caller of a server. */
export async function ids(url, bearer, video) {
  const file = (name, type, bytes) => upload(url, bearer, name, type, bytes);
  return {
    "image-file-id": await file("a.png", "image/png", picture(16, 16)),
    "video-file-id": await file("a.mp4", "video/mp4", video),
    "audio-file-id": await file("a.wav", "audio/wav", wav(tone(4000))),
    "pdf-file-id": await file(
      "a.pdf",
      "application/pdf",
      await pdf([200, 210]),
    ),
    "avatar-asset-id": "avatar_public",
    "voice-asset-id": "voice_public",
  };
}

/** Returns the default model of each capability. */
export async function models(url, bearer) {
  const { models: all } = await call(url, "/api/app/v1/models", bearer);
  return Object.fromEntries(
    all.reverse().map((task) => [task.capability, task.model_id]),
  );
}
