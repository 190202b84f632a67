// Examines wrangler's configuration before it is deployed.
import { checkBucket } from "../bucket/check.js";
import { Failure } from "../failure.js";
import { callWasm, loadOperator } from "../operator.js";
import { printable } from "../printable.js";
import { readSettings } from "../settings.js";
import { varsIn, workerNames } from "../wrangler-config.js";
import { checkOwnModule } from "./module.js";

/**
 * Prints the findings of the doctor, about the project's own module, and about the bucket that keeps
 * results. The bucket's secret comes from the environment.
 *
 * @param {{ name: string, text: string }} config
 * @throws {Failure} if it can't be deployed
 */
export async function examine(config) {
  const { name, text } = config;
  const { doctor } = await loadOperator();
  const found = JSON.parse(
    callWasm(() => doctor(text, name, process.env.UPSTREAM_API_KEY)),
  );
  const settings = { ...(await readSettings({})), ...(await varsIn(config)) };
  const findings = [
    ...found,
    ...(await checkOwnModule(await workerNames(config), settings)),
    ...(await checkBucket(settings)),
  ];
  for (const { line } of findings) console.log(printable(line));
  if (findings.some((finding) => finding.is_error))
    throw new Failure(
      `${name} can't be deployed yet; ` +
        "each line above that begins with `error:` has the remedy",
    );
}
