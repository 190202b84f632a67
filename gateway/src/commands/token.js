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
  --scope WORDS           what it allows [default: generate:* process:* upload]
  --creates N             the most creates in 24 hours [default: no limit]
  --expires SECONDS       its lifetime, up to 3600 [default: 3600]
  --settings FILE         settings as lines NAME=value, or under [vars] of a .toml file
  -h, --help              print this`;

/** The longest lifetime that a gateway accepts. */
const MAX_SECONDS = 3600;

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
    expiresIn: numberOf("--expires", values.expires, 1, MAX_SECONDS),
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

function numberOf(name, text, min, max = Number.MAX_SAFE_INTEGER) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageFailure(
    `${name} is ${JSON.stringify(text)}; it is a whole number from ${min} to ${max}`,
  );
}
