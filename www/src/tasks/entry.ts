/** One task as the list shows it and IndexedDB stores it. */
import type { CapabilityName, Output, SavedTask } from "mediagate";
import { findCapability } from "../catalogue";
import type { ShownError } from "../parts/Failure";
import { KEY_LIFETIME_MS, TERMINAL_STATES } from "../shared";
import { stateWord } from "../words/states";
import type { ReceivedEta } from "./timeLeft";

/**
 * How far a create is that is not settled: it waits for a task whose result it uses; its files are being uploaded; the
 * gateway moves results; it was sent; it is unknown what became of it; or the page was left before it was sent, and it
 * cannot go on by itself.
 */
export type Step =
  | "waiting"
  | "uploading"
  | "moving"
  | "sending"
  | "unknown"
  | "interrupted";

export interface Entry {
  /** The task's key in this list, and the idempotency key of its create. */
  key: string;
  /** The argument of `media.tasks.restore()` that finds the task again; `undefined` until the create's response. */
  saved?: SavedTask | undefined;
  /** `undefined` once the task is created. */
  step?: Step | undefined;
  capability: CapabilityName;
  title?: string | undefined;
  /** Its prompt, or the names of its files. */
  summary?: string | undefined;
  /** The words of the input, to search. */
  words?: string | undefined;
  /** The media service's state of the task; empty until the first one arrives. */
  state: string;
  /** From 0 to 1; `undefined` if unknown. */
  progress?: number | undefined;
  /** The gateway's last estimate of the time left; `undefined` where it sent none, and once the task is over. */
  eta?: ReceivedEta | undefined;
  /** Since when the media service has not answered the gateway, in milliseconds since the epoch. */
  unansweredSince?: number | undefined;
  outputs: readonly Output[];
  /** The emulator's notes, one for each output in order; `undefined` for a task of the media service. */
  emulated?: readonly (string | null)[] | undefined;
  /** The model that did the work, and what it cost; `undefined` if the record does not say. */
  model?: string | undefined;
  credits?: number | undefined;
  failure?: ShownError | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** When its create was first sent; the gateway remembers its key from then on. */
  sentAt?: number | undefined;
  endedAt?: number | undefined;
  /** When a person removed it, in milliseconds since the epoch; it can be restored until it is deleted. */
  removedAt?: number | undefined;
  /** Whether it is deleted: only what it takes to recognise it in the gateway's history is left of it. */
  gone?: true | undefined;
  /** Whether only the gateway's history has it: it was made on another device, or before this browser was cleared. */
  elsewhere?: true | undefined;
  /** The id of the pipeline of which it is a step. */
  pipeline?: string | undefined;
  /** Whether watching was stopped. */
  paused?: boolean | undefined;
  /** Whether it is unfolded; `undefined` until a person folds or unfolds it. */
  open?: boolean | undefined;
}

const TERMINAL = new Set<string>(TERMINAL_STATES);

/** Whether this state is terminal. */
export function isOver(state: string): boolean {
  return TERMINAL.has(state);
}

/** Whether its create is being prepared, or is under way. */
export function isSubmitting({ step }: Entry): boolean {
  return step !== undefined && step !== "unknown" && step !== "interrupted";
}

/** Whether something happens to it that the page follows. */
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

/** Whether its create may be repeated with the same key: after a day the gateway has forgotten the key. */
export function isRepeatable(
  { step, sentAt, startedAt }: Entry,
  now = Date.now(),
): boolean {
  return step === "unknown" && now - (sentAt ?? startedAt) < KEY_LIFETIME_MS;
}

/** The title of its capability. */
export function capabilityTitle({
  capability,
}: Pick<Entry, "capability">): string {
  return findCapability(capability)?.title ?? capability;
}

/** What the list calls it. */
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

/** Its state in words. */
export function stateOf({ paused, state, step }: Entry): string {
  if (step) return STEPS[step];
  if (paused && !isOver(state)) return "Not watched";
  return state ? stateWord(state) : "Submitted";
}
