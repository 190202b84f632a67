// Two builds: this checkout's, and an earlier one's, which `cargo xtask test --only upgrades` makes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { SETTINGS } from "../support/gateway.mjs";

const HERE = fileURLToPath(new URL("../../", import.meta.url));
const PREVIOUS = process.env.MEDIAGATE_PREVIOUS;
if (!PREVIOUS) throw new Error("MEDIAGATE_PREVIOUS names no checkout: run `cargo xtask test --only upgrades`");

/** The folders of the two checkouts, both built. */
export const CHECKOUTS = { previous: PREVIOUS, current: HERE };

/** @typedef {keyof typeof CHECKOUTS} Build */

/** Both directions: what is new meets what is old. */
export const PAIRS = /** @type {const} */ ([
  ["previous", "current"],
  ["current", "previous"],
]);

/** The folder of a gateway's build. */
export const gatewayOf = (/** @type {Build} */ build) => join(CHECKOUTS[build], "crates/worker/build");

/** The bindings of the Durable Objects, and their classes. */
const OBJECTS = { LEDGER: "Ledger", WATCHER: "Watcher", DURATIONS: "Durations" };

/** The bindings of the Durable Objects that a build has: a later one may have more. */
export function objectsOf(/** @type {Build} */ build) {
  const script = readFileSync(join(gatewayOf(build), "index.js"), "utf8");
  return Object.keys(OBJECTS).filter((it) => script.includes(OBJECTS[it]));
}

/**
 * Starts a gateway whose requests one build serves, and whose Durable Objects are another's: what a deployment that goes
 * on looks like from one request. Objects that the other build does not have are of the first.
 *
 * @param {Build} front
 * @param {Build} behind
 * @param {Record<string, string>} settings added to the tests' usual ones
 */
export async function startMixed(front, behind, settings) {
  const common = (/** @type {Build} */ build) => ({
    rootPath: gatewayOf(build),
    scriptPath: "index.js",
    modules: true,
    modulesRules: [
      { type: /** @type {const} */ ("ESModule"), include: ["**/*.js"] },
      { type: /** @type {const} */ ("CompiledWasm"), include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    bindings: { ...SETTINGS, ...settings },
  });
  const own = (/** @type {Build} */ build) =>
    Object.fromEntries(objectsOf(build).map((it) => [it, { className: OBJECTS[it], useSQLite: true }]));
  const shared = Object.fromEntries(
    objectsOf(behind).map((it) => [it, { className: OBJECTS[it], scriptName: "objects", useSQLite: true }]),
  );
  const known = (objects) => Object.fromEntries(objectsOf(front).map((it) => [it, objects[it]]));
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      stderr.resume();
    },
    workers: [
      { ...common(front), name: "front", durableObjects: known({ ...own(front), ...shared }) },
      { ...common(behind), name: "objects", durableObjects: own(behind) },
    ],
  });
  const url = (await miniflare.ready).origin;
  return { url, stop: () => miniflare.dispose() };
}

/** Packs a build's client as for npm, and unpacks it where a script in `folder` finds it by its name. */
export function installClient(/** @type {Build} */ build, folder) {
  const target = join(folder, "node_modules/mediagate");
  if (existsSync(target)) return;
  mkdirSync(target, { recursive: true });
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const tarball = execFileSync("npm", pack, { cwd: join(CHECKOUTS[build], "pkg"), encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", target, "--strip-components=1"]);
}
