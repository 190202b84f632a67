/** Starts the new pipeline. The store keeps the start, so that a reload neither loses nor doubles it. */
import { signal } from "@preact/signals";
import type { Media, PipelineSnapshot } from "mediagate";
import type { TaskStore } from "mediagate/store";
import { findCapability } from "../catalogue";
import { client } from "../client";
import { modelOf } from "../form/model";
import { limitsFor, sendMoving } from "../form/moves";
import { uploading } from "../form/uploads";
import { opened } from "../opened";
import { toShownError } from "../parts/Failure";
import { isStep, mapChosen } from "../results/reference";
import { go } from "../route";
import { showRun } from "../stage/shown";
import type { Draft, DraftStep, Values } from "../storage";
import {
  draft,
  editing,
  forgetReplacement,
  isStarting,
  saveStart,
} from "./draft";
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
  if (isStarting.value || !(await saveEdited())) return;
  forgetReplacement();
  const { value: started } = draft;
  const { key } = started;
  controller = new AbortController();
  isStarting.value = true;
  failedStart.value = undefined;
  try {
    const snapshot = await send(started, controller.signal);
    show(snapshot);
    showRun({ kind: "pipeline", id: snapshot.id });
    await saveStart(key, undefined);
  } catch (error) {
    failedStart.value = { key, error };
    // An earlier request may have started the pipeline, even if this one was refused.
    const mayHaveStarted = started.sent || toShownError(error).unknown;
    if (!mayHaveStarted) await saveStart(key, started);
  } finally {
    isStarting.value = false;
  }
}

/**
 * Saves the step that a form edits, since a person expects a run of what the form shows. Returns
 * false if the form has errors, which it shows then.
 */
async function saveEdited(): Promise<boolean> {
  const step = draft.value.steps.find(({ name }) => name === editing.value);
  const capability = step && findCapability(step.capability);
  if (!capability) return true;
  const model = modelOf(capability);
  if (await model.addStep()) return true;
  go(capability);
  return false;
}

async function send(
  { key, title, steps, sent }: Draft,
  signal: AbortSignal,
): Promise<PipelineSnapshot> {
  const [media, store] = await Promise.all([client(), opened]);
  if (store) await forgetOthers(store, media, key).catch(() => undefined);
  const { pipelines } = store?.keep(media) ?? media;
  const built: Draft = { key, title, steps };
  const start = (inputs: Values) =>
    uploading(({ onProgress, onReceived }) =>
      pipelines.start((builder) => build(builder, steps, inputs), {
        ...(title && { title }),
        ...limitsFor(inputs),
        idempotencyKey: key,
        signal,
        onProgress,
        onState(state) {
          if (state !== "uploading") onReceived();
          // Stored before the request, so that the next page repeats a start that was left.
          return state === "sending" && !sent
            ? saveStart(key, { ...built, sent: true })
            : undefined;
        },
      }),
    );
  const { snapshot } = await sendMoving(media, inputsOf(steps), start);
  await keepStarted(snapshot.id, { ...built, key: "" });
  return snapshot;
}

/** Forgets the starts of pipelines that were changed after they had failed. */
async function forgetOthers(
  store: TaskStore,
  media: Media,
  key: string,
): Promise<void> {
  const starts = await store.starts(media);
  await store.forget(starts.filter((start) => start.idempotencyKey !== key));
}

/** Returns the inputs of the steps by name. */
function inputsOf(steps: readonly DraftStep[]): Values {
  const values = steps.map(({ name, values }) => [name, values]);
  return mapChosen(Object.fromEntries(values), (chosen) =>
    isStep(chosen) ? { step: chosen.step } : chosen,
  ) as Values;
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
