/**
 * Estimates the cost of a run on request. An estimate uploads the form's files, and the gateway
 * limits the number of estimates, so none is made without a press.
 */
import { type ReadonlySignal, signal, useSignal } from "@preact/signals";
import { Coins } from "lucide";
import { type CapabilityName, isMediagateError, validate } from "mediagate";
import { filledValues } from "mediagate/forms";
import { client } from "../client";
import { worker } from "../offers";
import { toShownError } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { useSignalChange } from "../parts/useSignalChange";
import { isRunning, referencesOf } from "../results/reference";
import { filesOf, type Values } from "../storage";
import { isUnfinished } from "../tasks/store";
import { cost } from "../words";
import { type FormModel, isError } from "./model";
import { sendMoving } from "./moves";
import { uploading, uploadOf } from "./uploads";

/** False once a response has said that the gateway has no estimates. */
const isOffered = signal(true);

interface EstimateOptions {
  /** What is estimated. If it changes, its estimate goes away. */
  estimated: ReadonlySignal<unknown>;
  files: readonly File[];
  estimate(abort: AbortSignal): Promise<string>;
}

export interface EstimateState {
  /** The words of the button. */
  words: string;
  isRunning: boolean;
  /** The estimate, or the reason why there is none; empty until then. */
  result: string;
  start(): void;
}

export function useFormEstimate(model: FormModel): EstimateState {
  return useEstimate({
    estimated: model.values,
    files: filesOf(model.values.value),
    estimate: (abort) => estimate(model, abort),
  });
}

export function useEstimate({
  estimated,
  files,
  estimate,
}: EstimateOptions): EstimateState {
  const running = useSignal<AbortController | undefined>(undefined);
  const result = useSignal("");
  useSignalChange(() => {
    // Subscribes to the value: an estimate of another value would mislead.
    void estimated.value;
    running.peek()?.abort();
    result.value = "";
  });
  const start = async () => {
    if (running.value) return;
    const controller = new AbortController();
    running.value = controller;
    result.value = "";
    const text = await estimate(controller.signal).catch(describe);
    running.value = undefined;
    if (!controller.signal.aborted) result.value = text;
  };
  const isRunning = running.value !== undefined;
  return {
    words: `Estimate the cost${uploadNote(files)}`,
    isRunning,
    result: isRunning ? "Estimating…" : result.value,
    start: () => void start(),
  };
}

/** The button of an estimate. A gateway without estimates has none. */
export function EstimateAction({ estimate }: { estimate: EstimateState }) {
  if (!isOffered.value) return null;
  return (
    <button
      type="button"
      class="quiet"
      aria-disabled={estimate.isRunning}
      onClick={estimate.start}
    >
      <Icon icon={Coins} size={14} /> {estimate.words}
    </button>
  );
}

async function estimate(model: FormModel, abort: AbortSignal): Promise<string> {
  const { name } = model.capability;
  const values = filledValues(model.values.value);
  if ((await validate(name, values)).some(isError))
    return "Fill in the form first.";
  const waiting = waitingFor(values);
  if (waiting) return waiting;
  return cost(
    await creditsOf(name, values, abort),
    worker.value === "emulator",
  );
}

/** Returns the message for a cost that is not known yet, since a task still makes an input. */
export function waitingFor(values: Values): string | undefined {
  const waiting = referencesOf(values).find(
    (reference) => isRunning(reference) && isUnfinished(reference.id),
  );
  return (
    waiting && `The cost can be estimated once “${waiting.name}” has ended.`
  );
}

export async function creditsOf(
  name: CapabilityName,
  values: Values,
  abort: AbortSignal,
): Promise<unknown> {
  const media = await client();
  const send = (body: Values) =>
    uploading(async ({ onProgress }) => {
      // The values of a form have no static type, and `validate` has checked them.
      const estimate = await media.estimate(name, body as never, {
        signal: abort,
      });
      // An estimate reports no progress, but its files are uploaded now.
      const files = filesOf(body).map((file) => {
        const { size } = file;
        return { file, loaded: size, total: size };
      });
      onProgress({ loaded: 0, total: 0, files });
      return estimate;
    });
  return (await sendMoving(media, values, send)).credits;
}

function describe(failure: unknown): string {
  if (!isMediagateError(failure)) return "The cost could not be estimated.";
  if (failure.reason === "unknown_path") isOffered.value = false;
  // The form is valid, so this sentence is about the model, such as one without a price.
  const reason =
    failure.code === "invalid_input"
      ? failure.message
      : `${toShownError(failure).heading}.`;
  return `The cost could not be estimated. ${reason}`;
}

function uploadNote(files: readonly File[]): string {
  const waiting = files.filter((file) => uploadOf(file).value !== "received");
  if (waiting.length === 0) return "";
  return waiting.length === 1 ? " (uploads the file)" : " (uploads the files)";
}
