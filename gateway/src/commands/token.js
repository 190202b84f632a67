// `mediagate-gateway token`: a session token, to try a gateway with.
import { Failure, UsageFailure } from "../failure.js";
import { FOLDER } from "../local.js";
import { presentSecrets } from "../secrets.js";
import { SCOPE, tokenFor } from "../session.js";
import { LOCAL_FILE, readSettings } from "../settings.js";

export const summary = "Print a session token, to try a gateway with";

export const help = `
It is signed with SESSION_SECRET, from the environment, from --settings, or as \`dev\` has it in
this folder. Your backend signs its users' tokens itself: \`mediagate/server\` has the function.

Options:
  --subject NAME          the user that it is for [default: dev]
  --scope WORDS           what it allows; mcp is for an agent at /mcp
                          [default: generate:* process:* upload]
  --creates N             the most creates in 24 hours [default: no limit]
  --expires TIME          its lifetime, in seconds or as in 90d: up to an hour, or with mcp in its
                          scope up to MCP_TOKEN_DAYS, which are 90 by default [default: 3600]
  --settings FILE         settings as lines NAME=value, or under [vars] of a .toml file
  -h, --help              print this`;

const MAX_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 90;
const SECONDS_OF_UNIT = { "": 1, s: 1, m: 60, h: 3_600, d: DAY_SECONDS };

/** @type {import("../main.js").Command["options"]} */
export const options = {
  subject: { type: "string", default: "dev" },
  scope: { type: "string", default: SCOPE },
  creates: { type: "string" },
  expires: { type: "string", default: "3600" },
  settings: { type: "string" },
};

export async function run(values) {
  const settings = await readSettings({
    file: values.settings,
    fallbackFile: values.settings ? undefined : LOCAL_FILE,
  });
  // Read, never made: no gateway would accept tokens of a new secret.
  const secret =
    settings.SESSION_SECRET ??
    (values.settings
      ? undefined
      : (await presentSecrets(FOLDER)).SESSION_SECRET);
  if (!secret)
    throw new Failure(
      "there is no SESSION_SECRET, with which tokens are signed: set it in the environment as the " +
        "gateway has it, name a file with --settings, or run this in the folder of " +
        "`mediagate-gateway dev`",
    );
  const { subject, scope, creates } = values;
  const options = {
    subject,
    scope,
    expiresIn: lifetimeOf(values.expires, scope, settings.MCP_TOKEN_DAYS),
    ...(creates !== undefined && {
      budget: { creates: numberOf("--creates", creates, 0) },
    }),
  };
  const token = await tokenFor(
    { ...settings, SESSION_SECRET: secret },
    options,
  ).catch((error) => {
    throw new Failure(error.message);
  });
  console.log(token);
}

/**
 * Returns the lifetime of a token with this scope in seconds. The limits are those of
 * `crates/settings/src/mcp.rs`.
 *
 * @param {string} text of the option
 * @param {string} [days] `MCP_TOKEN_DAYS`
 * @throws {UsageFailure} for another form, and for a lifetime over the limit
 */
function lifetimeOf(text, scope, days) {
  const isAgent = scope.split(/\s+/).includes("mcp");
  const max = isAgent
    ? Math.max(Number(days || DEFAULT_DAYS) * DAY_SECONDS, MAX_SECONDS)
    : MAX_SECONDS;
  const [, number, unit] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
  const seconds = Number(number) * SECONDS_OF_UNIT[unit];
  if (seconds >= 1 && seconds <= max) return seconds;
  const remedy = isAgent
    ? "MCP_TOKEN_DAYS is the limit of an agent's token"
    : "a token that lives longer needs mcp in its --scope, and is valid only at /mcp";
  throw new UsageFailure(
    `--expires is ${JSON.stringify(text)}; it is a number of seconds from 1 to ${max}, or a ` +
      `number with s, m, h or d; ${remedy}`,
  );
}

function numberOf(name, text, min, max = Number.MAX_SAFE_INTEGER) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageFailure(
    `${name} is ${JSON.stringify(text)}; it is a whole number from ${min} to ${max}`,
  );
}
