/** One task as the list shows it and localStorage stores it. */
import type { CapabilityName, Output, SavedTask } from "mediagate";
import type { ShownError } from "../parts/Failure";
import { TERMINAL_STATES } from "../shared";
import type { ReceivedEta } from "./timeLeft";

export interface Entry {
  /** The task's key in this list, and the idempotency key of its create. */
  key: string;
  /** The argument of `media.task()` that finds the task again; `undefined` until the create's response. */
  saved?: SavedTask | undefined;
  capability: CapabilityName;
  title?: string | undefined;
  /** The media service's state of the task; empty until the first one arrives. */
  state: string;
  /** From 0 to 1; `undefined` if unknown. */
  progress?: number | undefined;
  /** The gateway's last estimate of the time left; `undefined` where it sent none, and once the task is over. */
  eta?: ReceivedEta | undefined;
  outputs: readonly Output[];
  /** The emulator's notes, one for each output in order; `undefined` for a task of the media service. */
  emulated?: readonly (string | null)[] | undefined;
  failure?: ShownError | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number | undefined;
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

/** The error of a task that failed or expired, with the message of its record. */
export function failureOf(state: string, raw: unknown): ShownError | undefined {
  if (state === "FAILED")
    return { code: "task_failed", message: messageOf(raw) ?? "The media service gave no reason." };
  if (state === "EXPIRED") return { code: "task_expired", message: messageOf(raw) ?? "It was not finished in time." };
  return undefined;
}

/** The message in a task's record, which is not documented: these are the usual members. */
function messageOf(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw || undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  const { error, message, error_message, reason } = raw as Record<string, unknown>;
  return (
    messageOf(error) ??
    ([message, error_message, reason].find((it) => typeof it === "string" && it !== "") as string | undefined)
  );
}
