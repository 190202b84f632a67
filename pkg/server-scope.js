// The words of a scope. The gateway ignores a word that it does not know, so a misspelt one would only show as a refusal,
// in the page of a user.

import { invalid } from "./server-values.js";

/**
 * The names of all capabilities; the type lets none be missing, and none be of its own. The catalogue has them too, but
 * in 65 kB of JSON, which not every platform imports.
 *
 * @type {Record<import("./index.js").CapabilityName, true>}
 */
const CAPABILITIES = {
  text_to_image: true,
  text_to_image_turbo: true,
  text_driven: true,
  audio_driven: true,
  omni_reference_to_video: true,
  image_to_video: true,
  image_audio_driven: true,
  mv_director: true,
  split_video: true,
  object_removal_by_prompt: true,
  subtitle_removal: true,
  resize_video: true,
  add_audio_to_video: true,
  video_logo_removal: true,
  background_removal: true,
  head_swap: true,
  merge_pdf: true,
  split_pdf: true,
  adjust_audio_volume: true,
};

const WORDS = new Set([
  ...Object.keys(CAPABILITIES),
  "generate:*",
  "process:*",
  "upload",
  "mcp",
]);

/** What the gateway splits the claim at: the white space of ASCII. */
const SPACE = /[\t\n\f\r ]+/;

/** The most characters of a word that a message repeats: more may be a secret that was passed by mistake. */
const MAX_SHOWN = 31;

/**
 * The claim `scope`; `undefined` where there is no word.
 *
 * @param {unknown} scope
 * @throws {MediagateError} for anything but known words
 */
export function scopeClaim(scope) {
  if (scope === undefined) return undefined;
  if (typeof scope !== "string" && !Array.isArray(scope))
    throw invalid(
      'scope is neither a string nor a list; give words such as "upload image_to_video process:*"',
    );
  // A copy, so that the words that are checked are the words that are signed.
  const words =
    typeof scope === "string"
      ? scope.split(SPACE).filter(Boolean)
      : Array.from(scope);
  for (const word of words) if (!WORDS.has(word)) throw unknown(word);
  return words.join(" ") || undefined;
}

/** @param {unknown} word */
function unknown(word) {
  const shown =
    typeof word === "string" && word.length <= MAX_SHOWN
      ? ` ${JSON.stringify(word)}`
      : "";
  return invalid(
    `scope has a word${shown} that allows nothing; use names of capabilities such as image_to_video, generate:*, process:*` +
      " and upload, or a newer version of mediagate if the gateway knows the word",
  );
}
