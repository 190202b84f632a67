// Starts `serve` with an upstream module, in front of the stand-in of a provider.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "mediagate";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { KEY } from "../support/module/provider.mjs";
import { token } from "../support/token.mjs";
import { command } from "./support.mjs";

export const MODULE = fileURLToPath(
  new URL("../support/module/upstream.js", import.meta.url),
);
const { UPSTREAM_API_KEY: _, ...secrets } = SETTINGS;
/** The secrets of a gateway with a module. */
export const SECRETS = secrets;

/** Writes the module's variables, and returns the options that name the module. */
export async function moduleIn(cwd, provider, key = KEY) {
  const vars = join(cwd, "module.vars");
  await writeFile(vars, `PROVIDER_URL=${provider.url}\nPROVIDER_KEY=${key}\n`);
  return ["--upstream-module", MODULE, "--upstream-vars", vars];
}

/**
 * Starts `serve` with the module. `settings` are the gateway's; `module` has the options that name
 * another module.
 *
 * @param {{ after: (end: () => Promise<unknown>) => void }} t
 * @param {{ provider?: { url: string }, emulator: { url: string, resultsSecret: string } }} world
 * @param {{ cwd?: string, settings?: Record<string, string>, key?: string, module?: string[] }} [options]
 */
export async function serveModule(
  t,
  { provider, emulator },
  { cwd, settings = {}, key, module } = {},
) {
  const at = cwd ?? (await folder(t));
  const named = module ?? (await moduleIn(at, provider, key));
  const started = command(
    t,
    ["serve", "--port", "0", "--private-upstream", ...named],
    {
      cwd: at,
      env: {
        ...SECRETS,
        ...bucketOf(emulator),
        UPLOAD_MODE: "bucket",
        BUCKET_PRIVATE: "on",
        TENANT: "tests",
        ...settings,
      },
    },
  );
  const [, url] = await started.prints(/the gateway serves (\S+);/);
  const connected = await connect({ url, token: token() });
  return { ...started, url, cwd: at, media: connected };
}
