// The browser engines that the tests run in.
import { TIMEOUT_MS, within } from "../within.mjs";

/**
 * A running engine.
 *
 * @typedef {object} Engine
 * @property {() => Promise<import("./page.mjs").Page>} open opens a page with a storage of its own
 * @property {string} head HTML for the head of a site's pages, by which `lines` has all that they
 *   print from the start
 * @property {() => Promise<unknown>} close
 */

/** The name of the engine that `ENGINE` selects. */
export const ENGINE = process.env.ENGINE ?? "chromium";

/** The reason to skip a test that does not depend on the engine; `false` in Chromium. */
export const IN_CHROMIUM =
  ENGINE !== "chromium" && "its behaviour does not depend on the engine";

const ENGINES = ["chromium", "firefox", "webkit"];

/**
 * Starts an engine. Its start, each new page and its end have a limit.
 *
 * @returns {Promise<Engine>}
 */
export async function startEngine(name = ENGINE) {
  if (!ENGINES.includes(name))
    throw new Error(
      `ENGINE is ${name}; it must be one of ${ENGINES.join(", ")}`,
    );
  const { start } = await import(`./${name}.mjs`);
  const limited = (what, work) => within(TIMEOUT_MS, `${name}: ${what}`, work);
  const engine = await limited("the start", start());
  return {
    ...engine,
    open: () => limited("a new page", engine.open()),
    close: () => limited("the end", engine.close()),
  };
}
