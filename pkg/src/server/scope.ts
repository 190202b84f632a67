// The words of a scope. The gateway ignores unknown words, so a misspelt word would only appear as
// a refusal in a user's page.

import { SCOPE_WORDS } from "../generated/claims.js";
import { invalid } from "./values.js";

const WORDS: ReadonlySet<unknown> = new Set(SCOPE_WORDS);

/** The white space of ASCII, at which the gateway splits the claim. */
const SPACE = /[\t\n\f\r ]+/;

/** The most characters of a word that a message repeats: a longer word may be a secret. */
const MAX_SHOWN = 31;

/**
 * Returns the claim `scope`; `undefined` if the scope has no word.
 *
 * @throws {MediagateError} `invalid_argument` for anything but known words.
 */
export function scopeClaim(scope: unknown): string | undefined {
  if (scope === undefined) return undefined;
  if (typeof scope !== "string" && !Array.isArray(scope))
    throw invalid(
      'scope is neither a string nor a list; give words such as "upload image_to_video process:*"',
    );
  const words: unknown[] =
    typeof scope === "string" ? scope.split(SPACE).filter(Boolean) : scope;
  for (const word of words) if (!WORDS.has(word)) throw unknown(word);
  return words.join(" ") || undefined;
}

function unknown(word: unknown) {
  const shown =
    typeof word === "string" && word.length <= MAX_SHOWN
      ? ` ${JSON.stringify(word)}`
      : "";
  return invalid(
    `scope has a word${shown} that allows nothing; ` +
      "use names of capabilities such as image_to_video, generate:*, process:* and upload, " +
      "or a newer version of mediagate if the gateway knows the word",
  );
}
