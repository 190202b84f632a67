/** Creates tasks. The store keeps each create, so that a reload neither loses it nor sends it twice. */
import {
  type CapabilityName,
  isMediagateError,
  type Media,
  type Task,
} from "mediagate";
import type { CreateStatus } from "mediagate/store";
import { client } from "../client";
import { limitsFor, sendMoving } from "../form/moves";
import { linkPhotos, uploading } from "../form/uploads";
import { opened } from "../opened";
import { toShownError } from "../parts/Failure";
import { isRunning, referencesOf } from "../results/reference";
import { showRun } from "../stage/shown";
import { filesOf, type Values } from "../storage";
import type { Entry, Notes } from "./entry";
import { setReconnecting, silentOf } from "./reconnect";
import {
  findEntry,
  listedMedia,
  pending,
  storedCreates,
  update,
} from "./store";
import { isSame } from "./unsettled";

/** The creates under way on this page, by their keys. */
const works = new Map<string, AbortController>();

/** Lists a new task on the stage, and resolves once it is created. A refused create stays there. */
export async function submitTask(
  key: string,
  capability: CapabilityName,
  values: Values,
): Promise<void> {
  dropRefused(capability, values);
  const entry = entryOf(key, capability, values);
  const working = work(entry, async (media, options) =>
    sendMoving(media, values, await sender(entry, media, options)),
  );
  showEntry(key);
  try {
    await working;
  } catch (failure) {
    if (findEntry(key)) showEntry(key);
    throw failure;
  }
}

/** Lists a create on the stage that failed before it was sent. */
export function refuse(
  key: string,
  capability: CapabilityName,
  values: Values,
  failure: unknown,
): void {
  dropRefused(capability, values);
  keepRefused(entryOf(key, capability, values), failure);
  showEntry(key);
}

function entryOf(
  key: string,
  capability: CapabilityName,
  values: Values,
): Entry {
  const { title } = values;
  return {
    key,
    capability,
    title: typeof title === "string" ? title : undefined,
    step: firstStep(values),
    outputs: [],
    startedAt: Date.now(),
    values,
    files: filesOf(values).length,
  };
}

/** Brings a task or a create into view. */
export function showEntry(key: string): void {
  showRun({ kind: "task", key });
}

/** Removes the refused creates that a new create with the same values replaces. */
function dropRefused(capability: CapabilityName, values: Values): void {
  const replaced = [...pending.peek().values()].filter(
    (entry) =>
      entry.step === "refused" &&
      entry.capability === capability &&
      isSame(entry.values, values),
  );
  dropPending(replaced.map(({ key }) => key));
}

/** Lists a refused create again, whose repetition a person has cancelled. */
export function relist(entry: Entry): void {
  keep(entry);
  showEntry(entry.key);
}

function keepRefused(entry: Entry, failure: unknown): void {
  keep({ ...entry, step: "refused", failure: toShownError(failure) });
}

type Send = (input: Values) => Promise<Task>;

/** Returns a function that sends the create of an entry with an input. */
async function sender(
  { key, capability, values, files }: Entry,
  media: Media,
  options: WorkOptions,
): Promise<Send> {
  const store = await opened;
  const own = { ...options, idempotencyKey: key };
  const metadata: Notes = { values, files };
  return (input) => {
    // The values of a form have no static type, and `validate` has checked them.
    const valid = input as never;
    return store
      ? store.keep(media).create(capability, valid, { ...own, metadata })
      : media.create(capability, valid, own);
  };
}

function firstStep(values: Values): CreateStatus {
  if (filesOf(values).length > 0) return "uploading";
  return referencesOf(values).some(isRunning) ? "waiting" : "sending";
}

/** Goes on with an unsettled create under its key, so that it makes one task at most. */
export async function goOn(entry: Entry): Promise<void> {
  const { key, capability, values } = entry;
  if (entry.removedAt !== undefined)
    await update(key, { removedAt: undefined });
  if (works.has(key)) return;
  const stored = storedCreates.value.find(
    (create) => create.idempotencyKey === key,
  );
  if (stored) {
    linkPhotos(stored.input, values ?? {});
    await work({ ...shownOf(entry), step: "sending" }, async (media, options) =>
      sendMoving(
        media,
        values ?? {},
        () => stored.resume(options),
        await sender(entry, media, options),
      ),
    );
  }
  // The store does not have the create, or its cancel has removed it. This page has the values.
  else if (values) await submitTask(key, capability, values);
}

/** Returns the members that a pending create needs until the store lists the create again. */
function shownOf({ key, capability, title, startedAt, outputs }: Entry): Entry {
  return { key, capability, title, startedAt, outputs };
}

/** Cancels a create, in any tab. A create that was sent may still make a task. */
export function cancelSubmission(key: string): void {
  const { stored } = findEntry(key) ?? {};
  works.get(key)?.abort();
  // A create of an earlier page would stay in the store after an abort.
  if (stored && "cancel" in stored) void stored.cancel().catch(() => undefined);
}

/** Stops a create that a person has removed, so that it can still be restored. */
export function stopSubmission(entry: Entry): void {
  const own = works.get(entry.key);
  if (own) own.abort();
  else {
    cancelSubmission(entry.key);
    keep({ ...entry, step: "interrupted" });
  }
}

/** Returns true for a create that its removal has stopped. */
export function isStopped(key: string): boolean {
  return pending.value.get(key)?.step === "interrupted";
}

/** Removes creates from those that only this page has. */
export function dropPending(keys: readonly string[]): void {
  const others = new Map(pending.value);
  for (const key of keys) others.delete(key);
  pending.value = others;
}

function keep(entry: Entry): void {
  pending.value = new Map(pending.peek()).set(entry.key, entry);
}

/** Sends a create. It is pending until the store lists its task. */
async function work(
  entry: Entry,
  send: (media: Media, options: WorkOptions) => Promise<Task>,
): Promise<void> {
  const { key, step } = entry;
  if (works.has(key)) return;
  const controller = new AbortController();
  works.set(key, controller);
  const before = pending.peek().get(key);
  const change = (changes: Partial<Entry>) =>
    keep({ ...(pending.peek().get(key) ?? entry), ...changes });
  const { signal } = controller;
  // An earlier attempt may have left another step and a failure.
  change({ step, failure: undefined });
  try {
    const media = await client();
    signal.throwIfAborted();
    const task = await uploading(({ onProgress, onReceived }) =>
      send(media, {
        signal,
        onProgress,
        onState(step) {
          if (step !== "uploading") onReceived();
          change({ step });
        },
        onRetry: ({ error }) => setReconnecting(key, silentOf(key, error)),
        ...limitsFor(findEntry(key)?.values ?? {}),
      }),
    );
    change({ task, step: undefined });
  } catch (error) {
    const failure = before?.step === "unknown" ? ofRepetition(error) : error;
    await keepFailed(
      { ...entry, ...before },
      failure,
      entry.values !== undefined,
    );
    throw failure;
  } finally {
    works.delete(key);
    setReconnecting(key, undefined);
  }
}

type WorkOptions = NonNullable<Parameters<Media["create"]>[2]>;

/** Keeps a failed create in the list if it may have made a task or a person can restore it. */
async function keepFailed(
  entry: Entry,
  failure: unknown,
  isNew: boolean,
): Promise<void> {
  const { key } = entry;
  const store = await opened;
  const { removedAt } = findEntry(key) ?? {};
  if (removedAt !== undefined && !isUnknown(failure))
    keep({ ...entry, step: "interrupted", resumable: true });
  else if (isUnknown(failure) && !store)
    keep({
      ...entry,
      step: "unknown",
      failure: toShownError(failure),
      resumable: true,
    });
  else {
    // The page has the values of a new create, and shows the failure.
    const isOnlyHere =
      isNew && !isUnknown(failure) && (await forgetUnsent(key));
    if (isOnlyHere && !isAborted(failure)) keepRefused(entry, failure);
    else dropPending([key]);
  }
}

/** Forgets a create that was not sent. Returns false if it was, since it must stay in the list. */
async function forgetUnsent(key: string): Promise<boolean> {
  const store = await opened;
  const media = listedMedia.peek();
  const left = media && (await store?.find(media, key).catch(() => undefined));
  if (!left) return true;
  if (!("mayBeCharged" in left) || left.mayBeCharged) return false;
  await store?.forget(left).catch(() => undefined);
  return true;
}

/** Returns true for a failure that a person has caused by a cancel. */
export function isAborted(failure: unknown): boolean {
  return toShownError(failure).code === "aborted";
}

/** Returns the failure of a repetition. The first attempt may still have made a task. */
function ofRepetition(failure: unknown): unknown {
  return isMediagateError(failure) && failure.outcome === "not_sent"
    ? Object.assign(failure, { outcome: "unknown" })
    : failure;
}

export function isUnknown(failure: unknown): boolean {
  return isMediagateError(failure) && failure.outcome === "unknown";
}

export function isRejected(failure: unknown): boolean {
  return isMediagateError(failure) && failure.outcome === "rejected";
}
