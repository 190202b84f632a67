// Starts moto, a published server of S3's protocol, in its own process. It checks signatures only
// in part; the emulator's bucket checks them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AwsClient } from "aws4fetch";

const PROGRAM = fileURLToPath(
  new URL("../../.tools/python/moto/bin/moto_server", import.meta.url),
);

/**
 * Starts moto on a free port of 127.0.0.1.
 *
 * @typedef {object} Moto
 * @property {string} url
 * @property {(name: string) => Promise<Record<string, string>>} createBucket resolves to the
 *   gateway's settings for a new, empty bucket, which has no CORS
 * @property {() => Promise<void>} stop
 *
 * @returns {Promise<Moto>}
 */
export async function startMoto() {
  if (!existsSync(PROGRAM))
    throw new Error(
      "moto is not installed: run `cargo xtask test --only kills`",
    );
  const child = spawn(PROGRAM, ["-H", "127.0.0.1", "-p", "0"], {
    // Without this, moto allows every origin, whatever the bucket's CORS is.
    env: { ...process.env, MOTO_DISABLE_GLOBAL_CORS: "1" },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  const url = await Promise.race([
    urlIn(child.stderr),
    ended.then((code) => failed(code)),
  ]);
  return { url, createBucket: (name) => createBucket(url, name), stop };
}

/** Resolves to the URL that moto prints once it listens. */
async function urlIn(output) {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\/\/[\w.:]+/.exec(line) ?? [];
    if (!url) continue;
    output.resume();
    return url;
  }
  return new Promise(() => {});
}

function failed(code) {
  throw new Error(`moto ended with ${code} before it listened`);
}

async function createBucket(url, name) {
  const settings = {
    RESULTS_BUCKET_URL: `${url}/${name}`,
    RESULTS_ACCESS_KEY_ID: "moto-key",
    RESULTS_SECRET_ACCESS_KEY: "moto-secret",
    RESULTS_REGION: "us-east-1",
  };
  const { status } = await bucketClient(settings).fetch(
    settings.RESULTS_BUCKET_URL,
    { method: "PUT", body: "" },
  );
  if (status !== 200) throw new Error(`no bucket was created: ${status}`);
  return settings;
}

/**
 * Returns a client that signs with the credentials of the gateway's settings.
 *
 * @param {Record<string, string>} settings
 */
export const bucketClient = (settings) =>
  new AwsClient({
    accessKeyId: settings.RESULTS_ACCESS_KEY_ID,
    secretAccessKey: settings.RESULTS_SECRET_ACCESS_KEY,
    region: settings.RESULTS_REGION ?? "auto",
    service: "s3",
    retries: 0,
  });
