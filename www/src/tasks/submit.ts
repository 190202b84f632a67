/** Submits tasks: lists them, uploads their files, and sends their creates, so that no reload loses one or sends one twice. */

import {
  type Capabilities,
  type CapabilityName,
  isMediagateError,
  type Media,
  type Task,
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

/** A task that is being submitted, and whether an earlier page began that. */
type Submission = Entry & { readonly isResumed?: boolean };

/** Lists a new task, and resolves once it is created. A create that is refused is not listed any more. */
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
    state: "",
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

/** Goes on with a submission that a page left, or that another tab began. */
export function resumeSubmission(key: string): Promise<void> {
  return deliver(key, async () => {
    const entry = (await readEntry(key)) ?? findEntry(key);
    return entry && { ...entry, isResumed: true };
  });
}

/** Repeats a create whose outcome is unknown, with the same key: the gateway creates no second task. */
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

/** Goes on with a task that is not settled, with its key; one that was removed is brought back. */
export async function goOn(entry: Entry): Promise<void> {
  if (entry.removedAt !== undefined)
    await update(entry.key, { removedAt: undefined });
  if (isWorking(entry.key)) return;
  await (isSubmitting(entry)
    ? resumeSubmission(entry.key)
    : repeatCreate(entry));
}

/** Cancels an upload, or a create: one that was sent may have reached the gateway all the same. */
export function cancelSubmission(key: string): void {
  abort(key, CANCELLED);
  cancelElsewhere(key);
}

/** Submits a task and watches it. Only one tab at a time does so; another one waits for it, and goes on if it is closed. */
async function deliver(
  key: string,
  prepare: () => Promise<Submission | undefined>,
): Promise<void> {
  const task = await work(key, (signal) =>
    withLock(
      `task.${key}`,
      async () => {
        const entry = await prepare();
        const isOpen =
          entry && isSubmitting(entry) && entry.removedAt === undefined;
        return isOpen ? send(entry, signal) : undefined;
      },
      signal,
    ),
  );
  if ((task || findEntry(key)?.saved) && !isWorking(key)) void watch(key, task);
}

async function send(
  entry: Submission,
  signal: AbortSignal,
): Promise<Task | undefined> {
  const { key, step } = entry;
  const input = await readInput(key);
  // Without the body that was sent, the key would be used with another one: files get new ids.
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
    return undefined;
  }
  try {
    return await create(entry, input, signal);
  } catch (failure) {
    await settle(entry, failure, signal);
    throw failure;
  } finally {
    setReconnecting(key, undefined);
  }
}

/** After a day, the gateway has forgotten the key, and a person may not expect a task any more. */
function isTooOld(entry: Entry): boolean {
  return !isRepeatable({ ...entry, step: "unknown" });
}

async function create(
  entry: Entry,
  input: TaskInput,
  signal: AbortSignal,
): Promise<Task> {
  const { key, capability } = entry;
  const media = await client();
  if (!input.body) await update(key, { step: firstStep(input.values) });
  const body = input.body ?? (await prepare(media, input.values, signal));
  const onRetry = ({ error }: { error: unknown }) =>
    setReconnecting(key, silentOf(error));
  let { sentAt } = entry;
  const sending = () => {
    sentAt ??= Date.now();
    return update(key, { step: "sending", sentAt });
  };
  const send = async (body: Values) => {
    if (input.body !== body) await saveInput(key, { ...input, body });
    if (sentAt === undefined && chosenIn(body).length > 0)
      await update(key, { step: "moving" });
    // A form's values have no static type; `validate` has checked them.
    const valid = body as unknown as Capabilities[CapabilityName];
    return media.create(capability, valid, {
      idempotencyKey: key,
      signal,
      onRetry,
    });
  };
  const task = await withCreate(key, sending, () =>
    sendMoving(media, body, send, signal),
  );
  await update(key, {
    saved: task.toJSON(),
    outputs: task.outputs,
    step: undefined,
  });
  // The history may have listed it before its response arrived.
  await erase(twins.value.map((it) => it.key));
  return task;
}

/** The request body: with the ids of uploaded files, and with results of tasks that have ended. */
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

/** Whether the create that failed may have made a task. */
export function isUnknown(failure: unknown): boolean {
  return isMediagateError(failure) && failure.outcome === "unknown";
}

/** An earlier attempt may have made a task, whatever this one did, unless the gateway says that there is none. */
async function settle(
  entry: Submission,
  failure: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { key, sentAt } = entry;
  if (signal.aborted && signal.reason !== CANCELLED) return;
  // Without locks, another tab may have created it meanwhile.
  if ((await readEntry(key))?.saved) return;
  const isRejected =
    isMediagateError(failure) && failure.outcome === "rejected";
  const endedAt = Date.now();
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

/** Whether the same submission may succeed later. Its form may show something else by now, so that it stays in the list. */
function isPassing(failure: unknown): boolean {
  return (
    isMediagateError(failure) &&
    (failure.retryable || PASSING.has(failure.code))
  );
}

const PASSING = new Set<string>(["upload_failed", "load_failed", "timeout"]);
