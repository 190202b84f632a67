/** Starts the pipeline that was built: uploads its files, and sends it as one request, which starts it once. */
import { computed, signal } from "@preact/signals";
import { type CapabilityName, isMediagateError, type Media, type PipelineSnapshot } from "mediagate";
import { findCapability } from "../catalogue";
import { client } from "../client";
import { tasksEnded } from "../form/moves";
import { uploadAll } from "../form/uploads";
import { toShownError } from "../parts/Failure";
import { isStep, replaceReferences } from "../results/reference";
import type { Draft, Values } from "../storage";
import { draft, saveDraft } from "./draft";
import { show } from "./store";

const start = signal<AbortController | undefined>(undefined);

export const isStarting = computed(() => start.value !== undefined);

/** Why the last start failed. */
export const failure = signal<unknown>(undefined);

export function cancelStart(): void {
  start.value?.abort();
}

/** Resolves once it is started, or has failed; see `failure`. */
export async function startDraft(): Promise<void> {
  if (start.value) return;
  const controller = new AbortController();
  start.value = controller;
  failure.value = undefined;
  const { value: started } = draft;
  try {
    show(await send(started, controller.signal));
    await saveDraft(undefined);
  } catch (error) {
    failure.value = error;
    // It is not started, so that the next request may differ.
    if (!mayHaveStarted(error)) await saveDraft({ ...started, sent: undefined });
  } finally {
    start.value = undefined;
  }
}

function mayHaveStarted(error: unknown): boolean {
  return (
    toShownError(error).unknown !== undefined || (isMediagateError(error) && error.reason === "idempotency_key_reused")
  );
}

async function send(started: Draft, signal: AbortSignal): Promise<PipelineSnapshot> {
  const media = await client();
  const sent = started.sent ?? (await inputsOf(media, started, signal));
  // Before it is sent: a page that is left meanwhile sends this request once more.
  await saveDraft({ ...started, sent });
  const { key: idempotencyKey, title, steps } = started;
  const pipeline = await media.pipeline(
    (builder) => {
      const methods = builder as unknown as Record<string, (input: unknown, options: { name: string }) => unknown>;
      for (const { name, capability } of steps) methods[methodOf(capability)]?.(sent[name], { name });
    },
    { ...(title && { title }), idempotencyKey, signal },
  );
  return pipeline.snapshot;
}

/** With the ids of uploaded files, and with results of tasks that have ended. */
async function inputsOf(media: Media, { steps }: Draft, signal: AbortSignal): Promise<Record<string, Values>> {
  const inputs = steps.map(async ({ name, values }) => {
    const [input] = await Promise.all([uploadAll(media, values, signal), tasksEnded(media, values, signal)]);
    return [name, replaceReferences(input, (it) => (isStep(it) ? { step: it.step } : it))];
  });
  return Object.fromEntries(await Promise.all(inputs));
}

function methodOf(capability: CapabilityName): string {
  return findCapability(capability)?.method ?? "";
}
