/** Starts the pipeline that was built: uploads its files, and sends it as one request, which starts it once. */
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

/** Why the last start failed, and of which pipeline. */
export const failedStart = signal<{ key: string; error: unknown } | undefined>(
  undefined,
);

let controller: AbortController | undefined;

export function cancelStart(): void {
  controller?.abort();
}

/** Resolves once it is started, or has failed; see `failedStart`. */
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
    // An earlier request may have started it, whatever became of this one.
    const mayHaveStarted =
      started.sent !== undefined || toShownError(error).unknown !== undefined;
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
    // Before it is sent: a page that is left meanwhile sends this request once more.
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

/** The inputs of the steps, by their names: with the ids of uploaded files, and with results of tasks that have ended. */
async function inputsOf(
  media: Media,
  steps: readonly DraftStep[],
  signal: AbortSignal,
): Promise<Values> {
  const values = Object.fromEntries(steps.map((it) => [it.name, it.values]));
  const [inputs] = await Promise.all([
    uploadAll(media, values, signal),
    tasksEnded(media, values, signal),
  ]);
  return replaceChosen(inputs, (it) => (isStep(it) ? { step: it.step } : it));
}

/** A form's values have no static type; `validate` has checked them. */
function build(
  builder: object,
  steps: readonly DraftStep[],
  inputs: Values,
): void {
  const methods = builder as Record<
    string,
    (input: unknown, options: { name: string }) => unknown
  >;
  for (const { name, capability } of steps) {
    const method = findCapability(capability)?.method ?? "";
    if (!methods[method])
      throw new Error(
        `This page does not know the capability ${capability} any more. Remove its step.`,
      );
    methods[method](inputs[name], { name });
  }
}
