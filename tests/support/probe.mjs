// Runs the probe, and reads what it found as the gateway's settings.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unstable_readConfig } from "wrangler";
import { SETTINGS } from "./gateway.mjs";

const built = fileURLToPath(new URL("../../target/debug/mediagate-probe", import.meta.url));
const run = promisify(execFile);

/**
 * Probes a media service, and consents to its tasks.
 *
 * @param {string} url the base URL
 * @returns {Promise<{ settings: Record<string, string>, output: string, file: string }>} `settings` as the file has
 *   them, read by wrangler, what the probe printed, and the file's text
 */
export async function probe(url) {
  const binary = process.env.MEDIAGATE_PROBE ?? built;
  if (!existsSync(binary)) throw new Error("the probe is not built: run `cargo build -p mediagate-probe`");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-probe-"));
  try {
    const found = join(folder, "found.toml");
    const consent = ["--create", "text_to_image_turbo", "--create", "background_removal"];
    const env = { ...process.env, UPSTREAM_API_KEY: SETTINGS.UPSTREAM_API_KEY };
    const { stdout } = await run(binary, ["--base-url", url, "--output", found, ...consent], { env });
    const { vars } = unstable_readConfig({ config: found }, { hideWarnings: true });
    const text = ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)];
    return {
      settings: Object.fromEntries(Object.entries(vars).map(text)),
      output: stdout,
      file: await readFile(found, "utf8"),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
