// The configuration for Cloudflare, unless the folder has one.
import { create, exists, readText } from "./files.js";
import { PACKAGE, packagePath } from "./project.js";
import { template } from "./template.js";

/** In the order in which wrangler prefers them. */
const FILES = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];
/** By which a configuration is the gateway's. */
const MAIN = /mediagate-gateway\/dist\/worker\/index\.js/;
/** What the gateway's configuration has, by what it is called there. */
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
].concat(["PIPELINE", "Pipeline"]);
const VARS = ["UPSTREAM_BASE_URL", "ALLOWED_ORIGINS"];

/**
 * @typedef {object} Options
 * @property {string} name of the Worker
 * @property {boolean} jsonc
 * @property {Record<string, string | undefined>} vars
 */

/**
 * Writes the configuration, or says what the one that exists lacks.
 *
 * @param {Options} options
 * @returns {Promise<{ done: import("./files.js").Done, notes: string[], isForeign?: boolean }>} `isForeign` where the folder has
 *   the configuration of another Worker
 */
export async function writeConfig(options) {
  const existing = await existingConfig();
  if (existing) return checked(existing, options);
  const path = options.jsonc ? "wrangler.jsonc" : "wrangler.toml";
  const done = await create(path, await textOf(path, options));
  if (done.action !== "written") return checked(path, options);
  const unset = VARS.filter((it) => options.vars[it] === undefined);
  return { done, notes: toFillIn(path, unset) };
}

async function existingConfig() {
  const found = await Promise.all(FILES.map(exists));
  return FILES.find((_, index) => found[index]);
}

/** A template is a configuration that works; what differs is replaced in it. */
async function textOf(path, { name, vars }) {
  const isJson = path.endsWith(".jsonc");
  const text = (await template(path)).replaceAll(
    `node_modules/${PACKAGE}`,
    await packagePath(),
  );
  const named = text.replace(
    /^(\s*"?name"?(?: =|:) )"mediagate"/m,
    (_, before) => before + quoted(name),
  );
  return VARS.filter((it) => vars[it] !== undefined).reduce(
    (result, it) =>
      result.replace(
        commented(it),
        (_, indent) => indent + assignment(it, vars[it], isJson),
      ),
    named,
  );
}

const commented = (name) =>
  new RegExp(`^( *)(?:#|//) "?${name}"?(?: =|:) .*$`, "m");

function assignment(name, value, isJson) {
  if (!isJson) return `${name} = ${quoted(value)}`;
  const comma = name === VARS.at(-1) ? "" : ",";
  return `${quoted(name)}: ${quoted(value)}${comma}`;
}

/** A string of JSON is one of TOML too, as far as it is ASCII, which the options are. */
const quoted = (text) => JSON.stringify(text);

/** What a file that exists lacks, as far as its text shows: it may have any form. */
async function checked(path, { vars }) {
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
  const lacking = PARTS.filter((it) => !text.includes(it));
  const unset = VARS.filter(
    (it) => vars[it] === undefined && !text.includes(it),
  );
  const differing = VARS.filter(
    (it) => vars[it] !== undefined && !text.includes(quoted(vars[it])),
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
        (it) => `Set ${it} to ${quoted(vars[it])} in ${path} by hand.`,
      ),
    ],
  };
}

const toFillIn = (path, unset) =>
  unset.length > 0
    ? [
        `Fill in ${unset.join(" and ")} in ${path} before you deploy; \`npx ${PACKAGE} probe --base-url ADDRESS\` checks whether the media service fits.`,
      ]
    : [];

const templateOf = (path) =>
  `node_modules/${PACKAGE}/templates/${path.endsWith(".toml") ? "wrangler.toml" : "wrangler.jsonc"}`;

/** Lines that are comments; in a value such as an address, the same characters are none. */
const withoutComments = (text) => text.replace(/^\s*(?:#|\/\/).*$/gm, "");
