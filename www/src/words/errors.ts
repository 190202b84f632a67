/** This page's own words for errors, if they are more helpful than those of the package. */
import { describeError, type ErrorWords, type OwnWords } from "mediagate/words";

export const ASK_AGAIN = "Ask again";

const LOST = describeError({ code: "response_lost" });
const ELSEWHERE = "It may belong to another session. Remove it from the list.";

const WORDS: OwnWords = {
  ...Object.fromEntries(
    [
      "unauthenticated",
      "upstream_credentials",
      "invalid_argument",
      "token_failed",
      "upload_failed",
    ].map((code) => [code, { remedy: staying(code) }]),
  ),
  crashed: { remedy: "Reload it. Your tasks and what you entered stay." },
  not_offered: { remedy: "Choose another form in the list." },
  unknown_task: { remedy: ELSEWHERE },
  unknown_pipeline: { remedy: ELSEWHERE },
  already_started: {
    heading: "This pipeline was already started, with other files",
    remedy:
      "The started pipeline is in the list. Discard this one, or change it to start another.",
  },
  no_pipelines: {
    heading: "This gateway runs no pipelines",
    remedy:
      "Run the steps one by one: “Use in…” puts the result of a task into the next form.",
  },
  // The values of `unknown`:
  response_lost: {
    remedy: `“${ASK_AGAIN}” shows the task if it was created, or creates it now, but never twice.`,
  },
  elsewhere: LOST,
  expired: {
    ...LOST,
    remedy:
      "The gateway remembers a request for only a day. A new task may cost credits a second time.",
  },
  start: {
    heading: "It is unknown whether the pipeline was started",
    remedy:
      "Run it again: that never starts a second one. If you change it first, it is another " +
      "pipeline.",
  },
};

function staying(code: string): string {
  return `${describeError({ code }).remedy} What you entered stays.`;
}

/** Describes an error, or again a stored one. */
export function describe(error: unknown): ErrorWords {
  return describeError(error, WORDS);
}
