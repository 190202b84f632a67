// Writes the token endpoint of the project's own server. It refuses everyone until the project's
// authentication is filled in.
import { UsageFailure } from "../failure.js";
import { create, firstOf } from "../files.js";
import { readTemplate } from "../package.js";
import { FRAMEWORKS } from "./frameworks.js";
import { writeServerSecret } from "./secrets.js";

const NONE = "none";
const WORDS = [...Object.keys(FRAMEWORKS), NONE];
const EXTENSIONS = ["ts", "js", "tsx", "jsx", "mts", "mjs", "cts", "cjs"];

/**
 * Returns the framework of the option, or else the one in package.json.
 *
 * @param {string | undefined} word of `--token-endpoint`
 * @param {import("./project.js").Project} project
 * @returns {{ word: string, note?: string }}
 * @throws {UsageFailure} if the word is no framework
 */
export function frameworkOf(word, { dependencies }) {
  if (word !== undefined) {
    if (WORDS.includes(word)) return { word };
    throw new UsageFailure(
      `--token-endpoint is ${JSON.stringify(word)}; it is one of ${WORDS.join(", ")}`,
    );
  }
  const found = Object.keys(FRAMEWORKS).filter((name) =>
    dependencies.includes(FRAMEWORKS[name].dependency),
  );
  if (found.length === 1) return { word: found[0] };
  const reason =
    found.length > 1
      ? `package.json has ${found.join(" and ")}`
      : "no framework is in package.json";
  return {
    word: NONE,
    note: `No token endpoint: ${reason}. --token-endpoint ${WORDS.slice(0, -1).join("|")} writes one.`,
  };
}

/**
 * Writes the endpoint and its secret, unless there is an endpoint.
 *
 * @param {string} word a framework
 * @param {import("./project.js").Project} project
 * @returns {Promise<{
 *   done: import("../files.js").Done | import("../files.js").Done[],
 *   notes?: string[],
 * }>}
 */
export async function writeEndpoint(word, project) {
  const {
    stem,
    route,
    others,
    extension,
    template: source,
    notes,
    hasEnvFile,
  } = await FRAMEWORKS[word].endpoint(project);
  const existing = await firstOf(
    [stem, ...others].flatMap((name) =>
      EXTENSIONS.map((end) => `${name}.${end}`),
    ),
  );
  if (existing)
    return {
      done: { action: "unchanged", path: existing, detail: "it exists" },
    };
  const path = `${stem}.${extension}`;
  const done = await create(path, await readTemplate(`session/${source}`));
  if (done.action !== "written") return { done };
  const refusal =
    `${path} refuses everyone (401) until you fill in how your app finds its user, ` +
    "in `authenticate`.";
  const page = `Your pages get their token by POST ${route}, and pass it to \`connect\`.`;
  const secret = hasEnvFile
    ? await writeServerSecret()
    : { done: [], notes: [] };
  return {
    done: [done, ...secret.done],
    notes: [refusal, ...notes, ...secret.notes, page],
  };
}
