// The configuration for Cloudflare, unless the folder has one.
import { create, firstOf, readText } from "../files.js";
import { readTemplate } from "../package.js";
import { NAMES } from "../wrangler-config.js";
import { PACKAGE, packagePath } from "./project.js";

/** Matches the configuration of the gateway, not of another Worker. */
const MAIN = /mediagate-gateway\/dist\/worker\/index\.js/;
const PARTS = [
  "global_fetch_strictly_public",
  "base_dir",
  "rules",
  "ASSETS",
  "LEDGER",
  "WATCHER",
  "DURATIONS",
  "Durations",
  "TRANSFER",
  "Transfer",
  "PIPELINE",
  "Pipeline",
];
const VARS = ["UPSTREAM_BASE_URL", "ALLOWED_ORIGINS"];
/** The settings of a bucket, without which pages can't upload files for a module. */
const BUCKET = ["RESULTS_BUCKET_URL", "RESULTS_ACCESS_KEY_ID"];
/** Matches the binding of an upstream module, which takes the place of the address. */
const MODULE = /(["'])UPSTREAM\1/;

/**
 * @typedef {object} Options
 * @property {string} name of the Worker
 * @property {boolean} jsonc
 * @property {string[]} [offers] the capabilities of an upstream module, if there is one
 * @property {import("./provider.js").Provider} [provider] the provider of the module, if `init`
 *   writes it
 * @property {Record<string, string | undefined>} vars
 */

/**
 * Writes the configuration, or returns what an existing one lacks.
 *
 * @param {Options} options
 * @returns {Promise<{ done: import("../files.js").Done, notes: string[], isForeign?: boolean }>}
 *   `isForeign` if the folder has the configuration of another Worker
 */
export async function writeConfig(options) {
  const existing = await firstOf(NAMES);
  if (existing) return examineConfig(existing, options);
  const path = options.jsonc ? "wrangler.jsonc" : "wrangler.toml";
  const done = await create(path, await textOf(path, options));
  if (done.action !== "written") return examineConfig(path, options);
  const unset = VARS.filter(
    (name) =>
      options.vars[name] === undefined &&
      !(options.offers && name === "UPSTREAM_BASE_URL"),
  );
  return {
    done,
    notes: [
      ...toFillIn(path, unset),
      ...(options.provider ? [needsBucket(path)] : []),
      ...(options.offers && !options.provider
        ? [
            `Deploy the module as the Worker ${serviceOf(options.name)}, which the binding UPSTREAM names.`,
          ]
        : []),
    ],
  };
}

/**
 * Fills the project's values into the template, which is a valid configuration itself.
 *
 * @param {string} path
 * @param {Options} options
 */
async function textOf(path, { name, vars, offers, provider }) {
  const isJson = path.endsWith(".jsonc");
  const text = (await readTemplate(path)).replaceAll(
    `node_modules/${PACKAGE}`,
    await packagePath(),
  );
  let filled = text.replace(
    /^(\s*"?name"?(?: =|:) )"mediagate"/m,
    (_, before) => before + quoted(name),
  );
  for (const setting of VARS) {
    const value = vars[setting];
    if (value !== undefined)
      filled = filled.replace(
        commented(setting),
        (_, indent) => indent + assignment(setting, value, isJson),
      );
  }
  if (!offers) return filled;
  const settings = {
    CAPABILITIES: offers.join(","),
    ...(provider && { UPLOAD_MODE: "bucket" }),
    ...(provider?.outputHosts && { OUTPUT_HOSTS: provider.outputHosts }),
  };
  return withModule(filled, name, settings, isJson);
}

export const serviceOf = (name) => `${name}-upstream`;

/** Uncomments the binding of a module, and adds settings, such as its capabilities. */
function withModule(text, name, settings, isJson) {
  const bound = text
    .replace(/^( *)(?:#|\/\/) (\[\[services\]\]|"services":.*)$/m, "$1$2")
    .replace(/^# (binding = "UPSTREAM")$/m, "$1")
    .replace(/^# (service = "my-upstream")$/m, "$1")
    .replace('"my-upstream"', () => quoted(serviceOf(name)));
  const listed = Object.entries(settings).map(([setting, value]) =>
    isJson
      ? `    ${quoted(setting)}: ${quoted(value)},`
      : `${setting} = ${quoted(value)}`,
  );
  return bound.replace(
    /^(?:\[vars\]| *"vars": \{)$/m,
    (line) => `${line}\n${listed.join("\n")}`,
  );
}

const commented = (name) =>
  new RegExp(`^( *)(?:#|//) "?${name}"?(?: =|:) .*$`, "m");

function assignment(name, value, isJson) {
  if (!isJson) return `${name} = ${quoted(value)}`;
  // The variables are the last members of their object, in this order.
  const comma = name === VARS.at(-1) ? "" : ",";
  return `${quoted(name)}: ${quoted(value)}${comma}`;
}

/** Quotes a text. A JSON string is also a TOML string if it is ASCII, and the options are. */
const quoted = (text) => JSON.stringify(text);

/**
 * Returns what an existing file lacks. It may have any form, so this only searches its text.
 *
 * @param {string} path
 * @param {Options} options
 */
async function examineConfig(path, { name: worker, vars, offers, provider }) {
  const done = {
    action: /** @type {const} */ ("unchanged"),
    path,
    detail: "it exists",
  };
  const text = withoutComments((await readText(path)) ?? "");
  if (!MAIN.test(text))
    return {
      done,
      isForeign: true,
      notes: [
        `${path} is that of another Worker. The gateway is a Worker of its own, with a folder of its own.`,
      ],
    };
  const lacking = PARTS.filter((part) => !text.includes(part));
  const isModule = MODULE.test(text);
  const unset = VARS.filter(
    (name) =>
      vars[name] === undefined &&
      !text.includes(name) &&
      !((isModule || offers) && name === "UPSTREAM_BASE_URL"),
  );
  const differing = VARS.filter(
    (name) => vars[name] !== undefined && !text.includes(quoted(vars[name])),
  );
  return {
    done,
    notes: [
      ...(lacking.length > 0
        ? [
            `${path} lacks ${lacking.join(", ")}: compare it with ${templateOf(path)}.`,
          ]
        : []),
      ...(offers && !isModule
        ? [
            `Bind the module in ${path}, and remove UPSTREAM_BASE_URL: ` +
              `the binding UPSTREAM with the service ${serviceOf(worker)}.`,
          ]
        : []),
      ...(provider && BUCKET.some((name) => !text.includes(name))
        ? [needsBucket(path)]
        : []),
      ...toFillIn(path, unset),
      ...differing.map(
        (name) =>
          `Set ${name} to ${quoted(vars[name])} in ${path} by hand` +
          (isModule && name === "UPSTREAM_BASE_URL"
            ? ", and remove the binding UPSTREAM."
            : "."),
      ),
    ],
  };
}

function toFillIn(path, unset) {
  if (unset.length === 0) return [];
  const toDo = `Fill in ${unset.join(" and ")} in ${path} before you deploy`;
  const hint = `\`npx ${PACKAGE} check --base-url ADDRESS\` checks whether the media service fits`;
  return [
    unset.includes("UPSTREAM_BASE_URL") ? `${toDo}; ${hint}.` : `${toDo}.`,
  ];
}

const needsBucket = (path) =>
  `Fill in ${BUCKET.join(" and ")} in ${path} before you deploy: ` +
  "pages upload to this bucket, and it keeps results.";

const templateOf = (path) =>
  `node_modules/${PACKAGE}/templates/${path.endsWith(".toml") ? "wrangler.toml" : "wrangler.jsonc"}`;

/** Removes the lines that are comments. A value, such as an address, may contain `//`. */
const withoutComments = (text) => text.replace(/^\s*(?:#|\/\/).*$/gm, "");
