/** Starts the new pipeline: uploads its files, and sends one request, which starts it only once. */
import { signal } from "@preact/signals";
import type { Media, PipelineSnapshot } from "mediagate";
import { findCapability } from "../catalogue";
import { client } from "../client";
import { sendMoving, tasksEnded } from "../form/moves";
import { uploadAll } from "../form/uploads";
import { toShownError } from "../parts/Failure";
import { isStep, replaceChosen } from "../results/reference";
import type { Draft, DraftStep, Values } from "../storage";
import { draft, isStarting, saveStart } from "./draft";
import { keepStarted } from "./started";
import { show } from "./store";

export const failedStart = signal<{ key: string; error: unknown } | undefined>(
  undefined,
);

let controller: AbortController | undefined;

export function cancelStart(): void {
  controller?.abort();
}

/** Starts the new pipeline. Resolves after a failure, too, which is in `failedStart`. */
export async function startDraft(): Promise<void> {
  if (isStarting.value) return;
  const { value: started } = draft;
  const { key } = started;
  controller = new AbortController();
  isStarting.value = true;
  failedStart.value = undefined;
  try {
    show(await send(started, controller.signal));
    await saveStart(key, undefined);
  } catch (error) {
    failedStart.value = { key, error };
    // An earlier request may have started the pipeline, even if this one was refused.
    const mayHaveStarted =
      started.sent !== undefined || toShownError(error).unknown !== undefined;
    // The stored inputs would make the next start look like a repetition.
    if (!mayHaveStarted) await saveStart(key, started);
  } finally {
    isStarting.value = false;
  }
}

async function send(
  started: Draft,
  signal: AbortSignal,
): Promise<PipelineSnapshot> {
  const media = await client();
  const { key: idempotencyKey, title, steps } = started;
  const begin = async (sent: Values) => {
    // Stored before the request, so that the next page can repeat it if this one is left.
    await saveStart(idempotencyKey, { ...started, sent });
    const pipeline = await media.pipelines.start(
      (builder) => build(builder, steps, sent),
      {
        ...(title && { title }),
        idempotencyKey,
        signal,
      },
    );
    const { snapshot } = pipeline;
    await keepStarted(snapshot.id, { key: "", title, steps });
    return snapshot;
  };
  return sendMoving(
    media,
    started.sent ?? (await inputsOf(media, steps, signal)),
    begin,
    signal,
  );
}

/** Returns the inputs of the steps by name, once files are uploaded and tasks have ended. */
async function inputsOf(
  media: Media,
  steps: readonly DraftStep[],
  signal: AbortSignal,
): Promise<Values> {
  const values = Object.fromEntries(
    steps.map((step) => [step.name, step.values]),
  );
  const [inputs] = await Promise.all([
    uploadAll(media, values, signal),
    tasksEnded(media, values, signal),
  ]);
  return replaceChosen(inputs, (chosen) =>
    isStep(chosen) ? { step: chosen.step } : chosen,
  );
}

function build(
  builder: object,
  steps: readonly DraftStep[],
  inputs: Values,
): void {
  // The values of a form have no static type, and `validate` has checked them.
  const methods = builder as Record<
    string,
    (input: unknown, options: { name: string }) => unknown
  >;
  for (const { name, capability } of steps) {
    const method = findCapability(capability)?.method ?? "";
    if (!methods[method])
      throw new Error(
        `This page no longer has the capability ${capability}. Remove its step.`,
      );
    methods[method](inputs[name], { name });
  }
}
