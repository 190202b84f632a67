/** Submits tasks. A reload neither loses a create nor sends it twice. */
import {
  type Capabilities,
  type CapabilityName,
  isMediagateError,
  type Media,
} from "mediagate";
import { client, withCreate } from "../client";
import { sendMoving, tasksEnded } from "../form/moves";
import { uploadAll } from "../form/uploads";
import { toShownError } from "../parts/Failure";
import { withLock } from "../parts/lock";
import { chosenIn, isRunning, referencesOf } from "../results/reference";
import { filesOf, type TaskInput, type Values } from "../storage";
import { cancelElsewhere, readEntry } from "./database";
import { type Entry, isRepeatable, isSubmitting, type Step } from "./entry";
import { setReconnecting, silentOf } from "./reconnect";
import { summaryOf, wordsOf } from "./search";
import { add, erase, findEntry, twins, update } from "./store";
import { readInput, saveInput } from "./taskInput";
import { watch } from "./watch";
import { abort, CANCELLED, isWorking, work } from "./work";

/** A task that is being submitted. `isResumed` is true if an earlier page began it. */
type Submission = Entry & { readonly isResumed?: boolean };

/** Lists a new task, and resolves once it is created. A refused create leaves the list. */
export async function submitTask(
  key: string,
  capability: CapabilityName,
  values: Values,
): Promise<void> {
  const { title } = values;
  const entry: Entry = {
    key,
    capability,
    title: typeof title === "string" ? title : undefined,
    summary: summaryOf(values),
    words: wordsOf(values),
    step: firstStep(values),
    outputs: [],
    startedAt: Date.now(),
  };
  await deliver(key, async () => {
    await add(entry);
    await saveInput(key, { values });
    return entry;
  });
}

function firstStep(values: Values): Step {
  if (referencesOf(values).some(isRunning)) return "waiting";
  return filesOf(values).length > 0 ? "uploading" : "sending";
}

export function resumeSubmission(key: string): Promise<void> {
  return deliver(key, async () => {
    const entry = (await readEntry(key)) ?? findEntry(key);
    return entry && { ...entry, isResumed: true };
  });
}

/** Repeats a create whose outcome is unknown. With its key, the gateway creates no second task. */
export function repeatCreate(entry: Entry): Promise<void> {
  return deliver(entry.key, async () => {
    const { step } = (await readEntry(entry.key)) ?? entry;
    if (step !== "unknown" || !isRepeatable(entry)) return undefined;
    await update(entry.key, {
      step: "sending",
      failure: undefined,
      endedAt: undefined,
    });
    return findEntry(entry.key);
  });
}

/** Continues an unsettled task with its key. Brings a removed task back. */
export async function goOn(entry: Entry): Promise<void> {
  if (entry.removedAt !== undefined)
    await update(entry.key, { removedAt: undefined });
  if (isWorking(entry.key)) return;
  await (isSubmitting(entry)
    ? resumeSubmission(entry.key)
    : repeatCreate(entry));
}

/** Cancels an upload or a create. A create that was sent may still make a task. */
export function cancelSubmission(key: string): void {
  abort(key, CANCELLED);
  cancelElsewhere(key);
}

async function deliver(
  key: string,
  prepare: () => Promise<Submission | undefined>,
): Promise<void> {
  await work(key, (signal) =>
    // Another tab waits for the lock, and goes on if this one is closed.
    withLock(
      `task.${key}`,
      async () => {
        const entry = await prepare();
        const isOpen =
          entry && isSubmitting(entry) && entry.removedAt === undefined;
        if (isOpen) await send(entry, signal);
      },
      signal,
    ),
  );
  // Another tab may have created the task while this one waited.
  if (findEntry(key)?.saved && !isWorking(key)) void watch(key);
}

async function send(entry: Submission, signal: AbortSignal): Promise<void> {
  const { key, step } = entry;
  const input = await readInput(key);
  // Files that are uploaded again get new ids, and the gateway refuses a key with another body.
  const wasSent = step === "sending" || entry.sentAt !== undefined;
  if (
    !input ||
    (!input.body && (input.withoutFiles || entry.sentAt !== undefined)) ||
    isTooOld(entry)
  ) {
    await update(key, {
      step: wasSent ? "unknown" : "interrupted",
      endedAt: Date.now(),
    });
    return;
  }
  try {
    await create(entry, input, signal);
  } catch (failure) {
    await settle(entry, failure, signal);
    throw failure;
  } finally {
    setReconnecting(key, undefined);
  }
}

/**
 * Returns true if a submission began a day ago: the key is forgotten, and nobody expects the task.
 */
function isTooOld(entry: Entry): boolean {
  return !isRepeatable({ ...entry, step: "unknown" });
}

async function create(
  entry: Entry,
  input: TaskInput,
  signal: AbortSignal,
): Promise<void> {
  const { key, capability } = entry;
  const media = await client();
  if (!input.body) await update(key, { step: firstStep(input.values) });
  const body = input.body ?? (await prepare(media, input.values, signal));
  const onRetry = ({ error }: { error: unknown }) =>
    setReconnecting(key, silentOf(key, error));
  let { sentAt } = entry;
  const sending = () => {
    sentAt ??= Date.now();
    return update(key, { step: "sending", sentAt });
  };
  const sendBody = async (sent: Values) => {
    // Stored before the request, so that a reload can repeat it with the same body.
    if (input.body !== sent) await saveInput(key, { ...input, body: sent });
    if (sentAt === undefined && chosenIn(sent).length > 0)
      await update(key, { step: "moving" });
    // The values of a form have no static type, and `validate` has checked them.
    const valid = sent as unknown as Capabilities[CapabilityName];
    return media.create(capability, valid, {
      idempotencyKey: key,
      signal,
      onRetry,
    });
  };
  const task = await withCreate(key, sending, () =>
    sendMoving(media, body, sendBody, signal),
  );
  await update(key, {
    saved: task.toJSON(),
    outputs: task.outputs,
    step: undefined,
  });
  // The history may have listed the task before the response arrived.
  await erase(twins.value.map((twin) => twin.key));
}

async function prepare(
  media: Media,
  values: Values,
  signal: AbortSignal,
): Promise<Values> {
  const [body] = await Promise.all([
    uploadAll(media, values, signal),
    tasksEnded(media, values, signal),
  ]);
  return body;
}

export function isUnknown(failure: unknown): boolean {
  return isMediagateError(failure) && failure.outcome === "unknown";
}

async function settle(
  entry: Submission,
  failure: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { key, sentAt } = entry;
  // The work was aborted for another reason than the person's wish, so the task stays as it is.
  if (signal.aborted && signal.reason !== CANCELLED) return;
  // Without locks, another tab may have created the task meanwhile.
  if ((await readEntry(key))?.saved) return;
  const isRejected =
    isMediagateError(failure) && failure.outcome === "rejected";
  const endedAt = Date.now();
  // An earlier attempt may have made a task, unless the gateway says that there is none.
  if (isUnknown(failure) || (sentAt !== undefined && !isRejected))
    await update(key, {
      step: "unknown",
      failure: toShownError(failure),
      endedAt,
    });
  else if (entry.isResumed && isPassing(failure))
    await update(key, { step: "interrupted", endedAt });
  else await erase([key]);
}

/** Returns true if a submission may succeed later, so that it stays in the list. */
function isPassing(failure: unknown): boolean {
  return (
    isMediagateError(failure) &&
    (failure.retryable || PASSING.has(failure.code))
  );
}

const PASSING = new Set<string>(["upload_failed", "load_failed", "timeout"]);
