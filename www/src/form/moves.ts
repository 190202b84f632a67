/** Results in a request: the gateway moves them. Where it moves none, the page fetches and uploads them as files. */
import { isMediagateError, type Media } from "mediagate";
import { fetchFile, type Medium, unreadable } from "../results/output";
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
import { uploadAll } from "./uploads";

/** The gateway moves nothing, or nothing from the result's host; the page may be allowed to read it all the same. */
const UNMOVABLE = new Set([
  "unknown_path",
  "output_host_not_allowed",
  "output_without_length",
]);

/** A wait for a task outlasts interruptions of the network. */
const MAX_RETRIES = 1_000;

/** Waits until the tasks whose results are in the values have ended. */
export async function tasksEnded(
  media: Media,
  values: Values,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(referencesOf(values).map((it) => ended(media, it, signal)));
}

async function ended(
  media: Media,
  reference: Reference,
  signal: AbortSignal,
): Promise<void> {
  if (!isRunning(reference)) return;
  try {
    await media.tasks
      .restore(reference)
      .done({ signal, maxRetries: MAX_RETRIES });
  } catch (failure) {
    const hasFailed =
      isMediagateError(failure) &&
      (failure.code === "task_failed" || failure.code === "task_expired");
    throw hasFailed
      ? new UnusableResult(
          `“${reference.name}” has failed, so it has no result to use.`,
        )
      : failure;
  }
}

/** Sends a request whose results the gateway moves, or else the same with ids of uploaded files in their place. */
export async function sendMoving<T>(
  media: Media,
  body: Values,
  send: (body: Values) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (referencesOf(body).length === 0) return send(body);
  try {
    return await send(body);
  } catch (failure) {
    if (!isMediagateError(failure) || !UNMOVABLE.has(failure.reason ?? ""))
      throw failure;
  }
  const fetched = await replaceChosen(body, (it) =>
    isReference(it) ? fetchResult(media, it) : it,
  );
  return send(await uploadAll(media, fetched, signal));
}

async function fetchResult(media: Media, reference: Reference): Promise<File> {
  const url = isStep(reference) ? undefined : await freshUrl(media, reference);
  if (!url)
    throw new UnusableResult(`“${reference.name}” has no result that fits.`);
  try {
    return await fetchFile({
      url,
      kind: reference.kind as Medium | undefined,
      name: reference.name,
    });
  } catch (failure) {
    const { message } = failure as Error;
    throw new UnusableResult(
      failure instanceof TypeError ? unreadable() : message,
    );
  }
}

async function freshUrl(
  media: Media,
  reference: Exclude<Reference, StepReference>,
): Promise<string | undefined> {
  if (!isRunning(reference)) return webUrl(reference.url);
  const { outputs } = await media.tasks.restore(reference).refresh();
  return webUrl(
    outputs.find((it) => !it.kind || it.kind === reference.kind)?.url,
  );
}
