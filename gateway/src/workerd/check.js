import { Failure } from "../failure.js";
import { callWasm, loadOperator } from "../operator.js";

const KEY = "`openssl rand -hex 32` makes one";
/**
 * The purposes of common settings, and how to get a value. Other settings are rare, and their
 * problem says what they should be.
 */
const PURPOSES = {
  UPSTREAM_BASE_URL:
    "the media service's address, such as https://api.example.com",
  UPSTREAM_API_KEY: "your key at the media service",
  SESSION_SECRET: `your backend signs session tokens with it, so it needs the same one; ${KEY}`,
  SEAL_SECRET:
    "it encrypts the ids that pages get; " +
    `store it well, since with another one they become invalid; ${KEY}`,
  ALLOWED_ORIGINS: "the origins of your pages, such as https://www.example.com",
  WEBHOOK_SECRET:
    "it signs webhooks, and your backend checks them with it; " +
    "`echo whsec_$(openssl rand -base64 32)` makes one",
};

/**
 * Checks the settings by the gateway's own rules, before anything is started or written.
 *
 * @param {Record<string, string>} settings
 * @param {string} place the places where a person sets them, in words
 * @throws {Failure} with every setting that is missing or wrong, and its purpose
 */
export async function checkSettings(settings, place) {
  const { settingsProblems } = await loadOperator();
  const problems = JSON.parse(
    callWasm(() => settingsProblems(JSON.stringify(settings))),
  );
  if (problems.length === 0) return;
  const count =
    problems.length === 1 ? "a setting is" : `${problems.length} settings are`;
  throw new Failure(
    `${count} missing or wrong:\n${problems.map(lineOf).join("\n")}\nSet ${place}.`,
  );
}

/**
 * Returns a setting's problem with its purpose. The gateway's own remedy for a missing setting is
 * about Cloudflare, so the purpose replaces it.
 */
function lineOf({ setting, problem }) {
  const purpose = PURPOSES[setting];
  const plain = purpose
    ? problem.replace(/^is missing;.*/, "is missing")
    : problem;
  return `  ${setting} ${plain}${purpose ? `: ${purpose}` : ""}`;
}
