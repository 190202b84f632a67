// The token endpoints of the supported frameworks: their paths, and what to do by hand.
import { firstOf, isFolder } from "../files.js";

/**
 * @typedef {object} Endpoint
 * @property {string} stem the path of its file, without an extension
 * @property {string} route the path of its URL, as pages request it
 * @property {string} extension
 * @property {string} template
 * @property {string[]} others stems that would serve the same route
 * @property {string[]} notes what to do by hand
 * @property {boolean} [hasEnvFile] true if its server reads `.env.local`
 *
 * @typedef {import("./project.js").Project} Project
 */

/** The path in the examples of the README of `mediagate`. */
const ROUTE = "/media/session";
/** Next.js only takes API routes below this path, if pages are in `pages`. */
const API_ROUTE = `/api${ROUTE}`;

const IN_ENVIRONMENT =
  "Your server needs SESSION_SECRET in its environment: " +
  "the same as the gateway's, which is in .dev.vars on this machine.";

/**
 * Describes the endpoint in Next.js, in the router that the project has.
 *
 * @param {Project} project
 * @returns {Promise<Endpoint>}
 */
async function next({ isTypeScript }) {
  // Folders in the root take precedence, as in Next.js.
  const folders = ["app", "src/app", "pages", "src/pages"];
  const folder = (await firstOf(folders, isFolder)) ?? "app";
  const isPages = folder.endsWith("pages");
  const route = isPages ? API_ROUTE : ROUTE;
  return {
    stem: `${folder}${route}${isPages ? "" : "/route"}`,
    route,
    others: isPages ? [`${folder}${route}/index`] : [],
    extension: isTypeScript ? "ts" : "js",
    template: isPages ? "next-pages.js" : "next.js",
    notes: [],
    hasEnvFile: true,
  };
}

/**
 * @param {Project} project
 * @returns {Promise<Endpoint>}
 */
const svelteKit = async ({ isTypeScript }) => ({
  stem: `src/routes${ROUTE}/+server`,
  route: ROUTE,
  others: [],
  extension: isTypeScript ? "ts" : "js",
  template: "sveltekit.js",
  notes: [],
  hasEnvFile: true,
});

/**
 * Describes a module with the handler, for a framework that has no fixed place for it.
 *
 * @param {Project} project
 * @param {string} template
 * @returns {Promise<Endpoint>}
 */
async function mounted({ isTypeScript, isModule }, template) {
  const stem = (await isFolder("src")) ? "src/session" : "session";
  const own = isTypeScript || isModule ? MODULE : MODULE_FOR_REQUIRE;
  const mount = own.loads.map(
    ([when, load]) => `${when}: ${load}; app.post("${ROUTE}", sessionHandler);`,
  );
  return {
    stem,
    route: ROUTE,
    others: [],
    extension: isTypeScript ? "ts" : own.extension,
    template,
    notes: [...mount, IN_ENVIRONMENT],
  };
}

const MODULE = {
  extension: "js",
  loads: [["Mount it", 'import { sessionHandler } from "./session.js"']],
};
/** The module for a project of CommonJS. From Node 20.19 on, `require` can load it. */
const MODULE_FOR_REQUIRE = {
  extension: "mjs",
  loads: [
    ["Mount it", 'const { sessionHandler } = require("./session.mjs")'],
    [
      "Or, in a module or where a bundler builds your app",
      'import { sessionHandler } from "./session.mjs"',
    ],
  ],
};

/**
 * The dependency and the endpoint of each word of `--token-endpoint`.
 *
 * @type {Record<string, { dependency: string, endpoint: (project: Project) => Promise<Endpoint> }>}
 */
export const FRAMEWORKS = {
  next: { dependency: "next", endpoint: next },
  hono: {
    dependency: "hono",
    endpoint: (project) =>
      mounted(project, project.isTypeScript ? "hono.ts" : "hono.js"),
  },
  express: {
    dependency: "express",
    endpoint: (project) => mounted(project, "express.js"),
  },
  sveltekit: { dependency: "@sveltejs/kit", endpoint: svelteKit },
};
