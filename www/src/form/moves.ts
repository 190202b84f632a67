/** Results in a request. If the gateway cannot move them, the page fetches and uploads them. */
import { isMediagateError, type Media } from "mediagate";
import { fetchFile, type Medium } from "../results/output";
import {
  isReference,
  isRunning,
  isStep,
  type Reference,
  referencesOf,
  replaceChosen,
  type StepReference,
  UnusableResult,
  webUrl,
} from "../results/reference";
import type { Values } from "../storage";
import { upright } from "./uploads";

/** The gateway's refusals to move a result. */
const UNMOVABLE = new Set([
  "unknown_path",
  "output_host_not_allowed",
  "output_without_length",
]);

/** The retries of a call that waits for a task, which must outlast interruptions of the network. */
const MAX_RETRIES = 1_000;

export function limitsFor(body: Values): { maxRetries?: number } {
  return referencesOf(body).some(isRunning) ? { maxRetries: MAX_RETRIES } : {};
}

/** Returns true for a refusal to move a result of a request. The page may still be able to read it. */
function isUnmovable(body: Values, failure: unknown): boolean {
  return (
    isMediagateError(failure) &&
    UNMOVABLE.has(failure.reason ?? "") &&
    referencesOf(body).length > 0
  );
}

/**
 * Sends a request. If the gateway moves no results, sends it with copies that the page has read.
 *
 * @param sendCopies - Sends the request with the copies; `send` by default.
 */
export async function sendMoving<T>(
  media: Media,
  body: Values,
  send: (body: Values) => Promise<T>,
  sendCopies = send,
): Promise<T> {
  try {
    return await send(await upright(body));
  } catch (failure) {
    if (!isUnmovable(body, failure)) throw ofFailedTask(body, failure);
  }
  return sendCopies(await upright(await fetchResults(media, body)));
}

/** Returns a failure with the name of the failed task whose result the request uses. */
function ofFailedTask(body: Values, failure: unknown): unknown {
  const id = isMediagateError(failure) ? failure.task?.id : undefined;
  const failed = referencesOf(body).find(
    (reference) => isRunning(reference) && reference.id === id,
  );
  return failed
    ? new UnusableResult(
        `“${failed.name}” has failed, so it has no result to use.`,
      )
    : failure;
}

/** Returns a request with files instead of results. */
function fetchResults(media: Media, body: Values): Promise<Values> {
  return replaceChosen(body, (chosen) =>
    isReference(chosen) ? fetchResult(media, chosen) : chosen,
  );
}

async function fetchResult(media: Media, reference: Reference): Promise<File> {
  const url = isStep(reference) ? undefined : await freshUrl(media, reference);
  if (!url)
    throw new UnusableResult(`“${reference.name}” has no result that fits.`);
  const { kind, name } = reference;
  return fetchFile({ url, kind: kind as Medium | undefined, name });
}

async function freshUrl(
  media: Media,
  reference: Exclude<Reference, StepReference>,
): Promise<string | undefined> {
  if (!isRunning(reference)) return webUrl(reference.url);
  const { outputs } = await media.tasks.restore(reference).refresh();
  return webUrl(
    outputs.find(({ kind }) => !kind || kind === reference.kind)?.url,
  );
}
