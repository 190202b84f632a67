// The configuration for Cloudflare, unless the folder has one.
import { create, firstOf, readText } from "../files.js";
import { readTemplate } from "../package.js";
import { NAMES } from "../wrangler-config.js";
import { PACKAGE, packagePath } from "./project.js";

/** Matches the configuration of the gateway, not of another Worker. */
const MAIN = /mediagate-gateway\/dist\/worker\/index\.js/;
/** Words that the gateway's configuration contains: flags, bindings and classes. */
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
/** Matches the binding of an upstream module, which takes the place of the address. */
const MODULE = /(["'])UPSTREAM\1/;

/**
 * @typedef {object} Options
 * @property {string} name of the Worker
 * @property {boolean} jsonc
 * @property {string[]} [offers] the capabilities of an upstream module, if there is one
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
      ...(options.offers
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
async function textOf(path, { name, vars, offers }) {
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
  return offers ? withModule(filled, name, offers, isJson) : filled;
}

/** The name of the module's Worker. */
const serviceOf = (name) => `${name}-upstream`;

/** Uncomments the binding of a module, and adds the capabilities that it offers. */
function withModule(text, name, offers, isJson) {
  const bound = text
    .replace(/^( *)(?:#|\/\/) (\[\[services\]\]|"services":.*)$/m, "$1$2")
    .replace(/^# (binding = "UPSTREAM")$/m, "$1")
    .replace(/^# (service = "my-upstream")$/m, "$1")
    .replace('"my-upstream"', () => quoted(serviceOf(name)));
  const listed = quoted(offers.join(","));
  return isJson
    ? bound.replace(/^( *)"vars": \{$/m, `$&\n$1  "CAPABILITIES": ${listed},`)
    : bound.replace(/^\[vars\]$/m, `$&\nCAPABILITIES = ${listed}`);
}

/** Matches the line of the template that sets a variable, and is a comment. */
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

/** Returns what an existing file lacks. It may have any form, so this only searches its text. */
async function examineConfig(path, { vars }) {
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
      !(isModule && name === "UPSTREAM_BASE_URL"),
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

const toFillIn = (path, unset) =>
  unset.length > 0
    ? [
        `Fill in ${unset.join(" and ")} in ${path} before you deploy; ` +
          `\`npx ${PACKAGE} check --base-url ADDRESS\` checks whether the media service fits.`,
      ]
    : [];

const templateOf = (path) =>
  `node_modules/${PACKAGE}/templates/${path.endsWith(".toml") ? "wrangler.toml" : "wrangler.jsonc"}`;

/** Removes the lines that are comments. A value, such as an address, may contain `//`. */
const withoutComments = (text) => text.replace(/^\s*(?:#|\/\/).*$/gm, "");
