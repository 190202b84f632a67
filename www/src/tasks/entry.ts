import type { CapabilityName, Output, SavedTask } from "mediagate";
import type { ReceivedEta } from "mediagate/observers";
import { KEY_LIFETIME_MS } from "mediagate/store";
import { stateWord } from "mediagate/words";
import { findCapability } from "../catalogue";
import type { ShownError } from "../parts/Failure";

export type Step =
  /** Waits for a task whose result it uses. */
  | "waiting"
  /** Uploads its files. */
  | "uploading"
  /** The gateway moves results that it uses. */
  | "moving"
  /** Was sent. */
  | "sending"
  /** May have made a task. */
  | "unknown"
  /** The page was left before the create was sent, and it cannot go on by itself. */
  | "interrupted";

export interface Entry {
  /** The task's key in this list, and the idempotency key of its create. */
  key: string;
  /** The argument of `media.tasks.restore()`; `undefined` until the create's response. */
  saved?: SavedTask | undefined;
  /** `undefined` once the task is created. */
  step?: Step | undefined;
  capability: CapabilityName;
  title?: string | undefined;
  summary?: string | undefined;
  words?: string | undefined;
  /** The media service's state of the task; `undefined` until the first one arrives. */
  state?: string | undefined;
  /** From 0 to 1; `undefined` if unknown. */
  progress?: number | undefined;
  /** The gateway's last estimate of the time left; `undefined` if there is none, and at the end. */
  eta?: ReceivedEta | undefined;
  /** The time since which the media service has not answered, in milliseconds since the epoch. */
  unansweredSince?: number | undefined;
  outputs: readonly Output[];
  /** The emulator's notes on the outputs, in order; `undefined` for a task of the media service. */
  emulated?: readonly (string | null)[] | undefined;
  /** The model that did the work; `undefined` if the record has none. */
  model?: string | undefined;
  /** The cost; `undefined` if the record has none. */
  credits?: number | undefined;
  /** What the media service has ignored or changed, in words; empty if there is nothing. */
  warnings?: readonly string[] | undefined;
  failure?: ShownError | undefined;
  /** The start, in milliseconds since the epoch, like the times below. */
  startedAt: number;
  /** The time of the first request. The gateway remembers the key from then on. */
  sentAt?: number | undefined;
  endedAt?: number | undefined;
  /** The time at which a person removed the task. It can be restored until it is deleted. */
  removedAt?: number | undefined;
  /** True if the task is deleted. The record stays to recognise it in the gateway's history. */
  gone?: true | undefined;
  /** True if the task comes from the gateway's history: of another device or a cleared browser. */
  elsewhere?: true | undefined;
  pipeline?: string | undefined;
  paused?: boolean | undefined;
  /** True if the card is unfolded; `undefined` until a person folds or unfolds it. */
  open?: boolean | undefined;
}

const TERMINAL = new Set<string | undefined>([
  "SUCCEEDED",
  "FAILED",
  "EXPIRED",
]);

export function isOver(state: string | undefined): boolean {
  return TERMINAL.has(state);
}

export function isSubmitting({ step }: Entry): boolean {
  return step !== undefined && step !== "unknown" && step !== "interrupted";
}

export function isActive(entry: Entry): boolean {
  const { step, paused, removedAt, state } = entry;
  return (
    step !== "unknown" &&
    step !== "interrupted" &&
    !paused &&
    removedAt === undefined &&
    !isOver(state)
  );
}

/** Returns true if a create may be repeated with its key, which the gateway then surely knows. */
export function isRepeatable(
  { step, sentAt, startedAt }: Entry,
  now = Date.now(),
): boolean {
  return step === "unknown" && now - (sentAt ?? startedAt) < KEY_LIFETIME_MS;
}

export function capabilityTitle({
  capability,
}: Pick<Entry, "capability">): string {
  return findCapability(capability)?.title ?? capability;
}

export function headingOf(entry: Pick<Entry, "capability" | "title">): string {
  return entry.title || capabilityTitle(entry);
}

const STEPS: Record<Step, string> = {
  waiting: "Waiting",
  uploading: "Uploading",
  moving: "Moving the result",
  sending: "Sending",
  unknown: "Outcome unknown",
  interrupted: "Not sent",
};

export function stateOf({ paused, state, step }: Entry): string {
  if (step) return STEPS[step];
  if (paused && !isOver(state)) return "Not watched";
  return stateWord(state);
}
