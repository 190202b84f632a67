// The option `--origin`, by the rules of the gateway's own settings.
import { UsageFailure } from "./failure.js";
import { loadOperator } from "./operator.js";

const SETTING = "ALLOWED_ORIGINS";
/** Commas separate the origins of the setting, and a quote would end the value in a file. */
const ONE_VALUE = /^[^\s,"'\\]+$/;

/**
 * Returns the origins of pages, each once.
 *
 * @param {string[]} texts
 * @throws {UsageFailure} if the gateway would refuse one of them
 */
export async function originsOf(texts) {
  for (const text of texts) {
    const problem = await problemOf(text);
    if (problem !== undefined)
      throw new UsageFailure(
        `--origin ${JSON.stringify(text)} ${problem}${await suggestOrigin(text)}`,
      );
  }
  return [...new Set(texts)];
}

/**
 * @returns {Promise<string | undefined>} the problem in the gateway's words; `undefined` if there
 *   is none
 */
async function problemOf(text) {
  if (!ONE_VALUE.test(text))
    return "is empty, or has a comma, a quote or a space; repeat the option for several origins";
  const { settingsProblems } = await loadOperator();
  const problems = JSON.parse(
    settingsProblems(JSON.stringify({ [SETTING]: text })),
  );
  return problems.find(({ setting }) => setting === SETTING)?.problem;
}

/** Suggests the origin of a text that is nearly an origin, such as the URL of a page. */
async function suggestOrigin(text) {
  if (!URL.canParse(text)) return "";
  const { origin } = new URL(text);
  const isOrigin = (await problemOf(origin)) === undefined;
  return isOrigin ? `; pass ${origin}` : "";
}
