// Runs `mediagate-gateway probe`, and reads its findings as the gateway's settings.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unstable_readConfig } from "wrangler";
import { SETTINGS } from "./gateway.mjs";

const COMMAND = fileURLToPath(
  new URL("../../gateway/bin/mediagate-gateway.js", import.meta.url),
);
const run = promisify(execFile);

/**
 * Probes a media service, and consents to its tasks.
 *
 * @param {string} url the base URL
 * @returns {Promise<Record<string, string>>} the settings in the probe's file, as wrangler reads
 *   them
 */
export async function probe(url) {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-probe-"));
  try {
    const found = join(folder, "found.toml");
    const consent = [
      "--create",
      "text_to_image_turbo",
      "--create",
      "background_removal",
    ];
    const env = { ...process.env, UPSTREAM_API_KEY: SETTINGS.UPSTREAM_API_KEY };
    await run(
      process.execPath,
      [COMMAND, "probe", "--base-url", url, "--output", found, ...consent],
      { env },
    );
    const { vars } = unstable_readConfig(
      { config: found },
      { hideWarnings: true },
    );
    const text = ([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ];
    return Object.fromEntries(Object.entries(vars).map(text));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
