// `mediagate-gateway check`: one pass over the endpoints of the media service.
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "../check/send.js";
import { Failure, Interruption, UsageFailure } from "../failure.js";
import { exists } from "../files.js";
import { callWasm, loadOperator } from "../operator.js";
import { findOwnModule } from "../own-module.js";
import { readSettings } from "../settings.js";
import { isTerminal, promptLine, promptSecret } from "../terminal.js";
import { readModule } from "../workerd/module.js";
import { runAlone } from "../workerd/offers.js";
import { hasModule, NAMES, readConfig, varsIn } from "../wrangler-config.js";

export const summary =
  "Check whether the gateway reads the media service's responses";

export const help = `
Sends each request to the media service once: it requests an upload URL, uploads a file, reads the
models, estimates a price and, if you consent, creates one task and follows it until a word that
ends it, or until you end the check (Ctrl-C). It shows each request and response without the key,
the parts that the gateway read (✓) with their places, and for what it did not read settings to
paste (?). You decide which are right: it never takes a word for an end by itself. The settings are
those of wrangler's configuration and of .dev.vars in this folder. The API key is UPSTREAM_API_KEY
there or in the environment, or you type it, unseen. The exit code is 0 only if an upload, a create,
and a success with outputs were read.

If wrangler's configuration binds an upstream module, it runs the module of upstream/ or of
--upstream-module on this machine, and checks that. A module gets no key and no upload: give a file
by its URL, with --input '{"file_id": {"url": "…", "type": "image/png", "name": "a", "size": 5}}'.

Options:
  --base-url URL          the address of the media service [default: UPSTREAM_BASE_URL]
  --upstream-module FILE  an upstream module instead of an address
  --upstream-vars FILE    the variables of the module, as lines NAME=value
                          [default: .dev.vars beside the module]
  --config FILE           wrangler's configuration with the settings
  --settings FILE         a file with further settings, such as one of --write
  --capability NAME       the capability that is estimated and created [default: text_to_image]
  --create                consent to one create, which may cost credits, without a question
  --input JSON            members of the create's body, such as '{"avatar_asset_id": "…"}'
  --file FILE             the file that is uploaded [default: a small picture]
  --write FILE            write the settings with a question mark into a new file
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  "base-url": { type: "string" },
  "upstream-module": { type: "string" },
  "upstream-vars": { type: "string" },
  config: { type: "string" },
  settings: { type: "string" },
  capability: { type: "string", default: "text_to_image" },
  create: { type: "boolean", default: false },
  input: { type: "string", default: "{}" },
  file: { type: "string" },
  write: { type: "string" },
};

/** The steps before the create. The wasm has no request for one that does not apply. */
const FREE_STEPS = ["UploadUrl", "Upload", "Confirm", "Models", "Estimate"];
const POLL_MS = 3_000;

export async function run(values) {
  const operator = await loadOperator();
  if (values.write && (await exists(values.write)))
    throw new Failure(`${values.write} exists; give another file with --write`);
  const config = await configOf(values);
  const isBound = config !== undefined && (await hasModule(config));
  const module = await moduleOf(values, config, isBound);
  try {
    const settings = await settingsFor(values, config, module, isBound);
    const key = settings.UPSTREAM_API_KEY;
    const ofModule = Object.values(module?.variables ?? {}).filter(isKey);
    const secrets = key ? [key] : ofModule;
    return await runWith(operator, settings, secrets, values);
  } finally {
    await module?.stop();
  }
}

/** Returns true if a variable of a module may be a key. */
const isKey = (value) => value.length >= 8 && !/^https?:/.test(value);

async function runWith(operator, settings, secrets, values) {
  const file = await fileOf(values.file, operator);
  const check = callWasm(
    () =>
      new operator.Check(
        JSON.stringify(settings),
        values.capability,
        values.input,
        file.name,
        file.bytes,
      ),
  );
  const interrupted = interruption();
  const key = settings.UPSTREAM_API_KEY;
  const steps = operator.Step;
  const context = { check, steps, file, key, secrets, interrupted };
  await pass(context, values);
  console.log("");
  for (const line of check.summary()) console.log(line);
  if (values.write) {
    await writeFile(values.write, check.settings(), { flag: "wx" });
    console.log(`The settings are in ${values.write}.`);
  }
  return check.isEnough() ? 0 : 1;
}

const configOf = async (values) =>
  values.config !== undefined || (await hasConfig())
    ? readConfig(values.config)
    : undefined;

async function moduleOf(values, config, isBound) {
  const named = values["upstream-module"];
  const address = values["base-url"];
  if (named !== undefined && address !== undefined)
    throw new UsageFailure(
      "--upstream-module and --base-url exclude each other; leave one out",
    );
  if (address !== undefined || (named === undefined && !isBound))
    return undefined;
  const module = await readModule(
    named ?? (await findOwnModule()),
    values["upstream-vars"],
  );
  if (module)
    return { ...(await runAlone(module)), variables: module.variables };
  throw new UsageFailure(
    `${config?.name} binds an upstream module that is not in upstream/; ` +
      "name its file with --upstream-module",
  );
}

/**
 * Returns the settings with the address and the key. A module has no key.
 *
 * @param {boolean} isBound true if the configuration binds a module
 */
async function settingsFor(values, config, module, isBound) {
  const address = module?.url ?? values["base-url"];
  const settings = {
    ...(config && (await varsIn(config))),
    ...(await readSettings({
      file: values.settings,
      fallbackFile: ".dev.vars",
    })),
    ...(address && { UPSTREAM_BASE_URL: address }),
  };
  if (!settings.UPSTREAM_BASE_URL)
    throw new UsageFailure("there is no address; give one with --base-url");
  const isModule = module !== undefined || isBound;
  return {
    ...settings,
    // The binding is no text, so a variable of this name is another program's.
    UPSTREAM: isModule ? "binding" : undefined,
    UPSTREAM_API_KEY: isModule ? undefined : await keyOf(settings),
  };
}

const hasConfig = async () =>
  (await Promise.all(NAMES.map(exists))).some(Boolean);

/** Returns the key of the settings, or asks for it. Shells would store an argument. */
async function keyOf({ UPSTREAM_API_KEY: key }) {
  if (key) return key;
  if (!isTerminal())
    throw new Failure(
      "there is no API key: set UPSTREAM_API_KEY in the environment, " +
        "or run it in a terminal, where it is read unseen",
    );
  return promptSecret("The media service's API key (not shown): ");
}

async function fileOf(path, operator) {
  if (path === undefined)
    return { name: "mediagate-check.png", bytes: operator.samplePicture() };
  try {
    return { name: basename(path), bytes: await readFile(path) };
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure(
      `${path} can't be read (${code}); give another file with --file`,
    );
  }
}

/** Returns a signal that a first Ctrl-C aborts. A second one ends the program. */
function interruption() {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}

async function pass(context, values) {
  const { check, interrupted } = context;
  for (const step of FREE_STEPS) {
    if (interrupted.aborted) return;
    await exchange(context, step);
  }
  if (interrupted.aborted || !(await consents(values, interrupted))) return;
  await exchange(context, "Create");
  while (!check.hasEnded()) {
    await sleep(POLL_MS, undefined, { signal: interrupted }).catch(() => {});
    if (interrupted.aborted) return;
    await exchange(context, "Status");
  }
  await exchange(context, "Asset");
}

let shown = "";

/**
 * Sends the request of a step, if it has one, and shows the exchange, unless it is the same as the
 * one before.
 */
async function exchange(context, name) {
  const { check, steps, file, key, secrets, interrupted } = context;
  const step = steps[name];
  let text;
  try {
    text = callWasm(() => check.request(step));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.log(`── ${name}: ${error.message}\n`);
    return;
  }
  if (text === undefined) return;
  const request = JSON.parse(text);
  const hide = (line) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, "(a key)"), line);
  const lines = [hide(`── ${request.purpose}\n→ ${request.shown}`)];
  try {
    if (request.has_key && !check.isOrigin(request.url))
      throw new Error("the key is for another host");
    const { status, text } = await send(request, file, key, interrupted);
    lines.push(...check.response(step, status, hide(text)));
  } catch (error) {
    const { cause, message } = /** @type {Error & { cause?: Error }} */ (error);
    lines.push(hide(`← no response: ${cause?.message ?? message}`));
  }
  const exchanged = lines.join("\n");
  if (exchanged !== shown) console.log(`${exchanged}\n`);
  shown = exchanged;
}

async function consents({ create, capability }, signal) {
  if (create) return true;
  if (!isTerminal()) {
    console.log(
      `No task of ${capability} is created. ` +
        "To allow one, which may cost credits, pass `--create`.",
    );
    return false;
  }
  try {
    const line = await promptLine(
      `May one task of ${capability} be created? The media service may charge credits for it. [y/N] `,
      signal,
    );
    return /^y(es)?$/i.test(line);
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    return false;
  }
}
