import type { CapabilityName, Output, Task } from "mediagate";
import type {
  CreateStatus,
  StoredTask,
  UnfinishedCreate,
} from "mediagate/store";
import { stateWord } from "mediagate/words";
import { findCapability } from "../catalogue";
import type { ShownError } from "../parts/Failure";
import type { Values } from "../storage";

/** The notes that this page stores with a task. */
export interface Notes {
  /** The values of the form. */
  values?: Values | undefined;
  /** The number of chosen files. The browser may not have stored all of them. */
  files?: number | undefined;
  /** The title of a pipeline's step. */
  title?: string | undefined;
  /** The time at which a person removed the task, in milliseconds since the epoch. */
  removedAt?: number | undefined;
  pipeline?: string | undefined;
  /** True if nobody watches the task. */
  paused?: boolean | undefined;
  /** The failure that ended the watching of the task. */
  failure?: ShownError | undefined;
}

/** A task or a create of the list, as its tile and the stage show it. */
export interface Entry extends Notes {
  /** The key in this list: the idempotency key of the create, if this browser has sent it. */
  key: string;
  /** The stored item; `undefined` until it is stored. */
  stored?: StoredTask | UnfinishedCreate | undefined;
  /** The task; `undefined` until the create's response. */
  task?: Task | undefined;
  /** `undefined` once the task is created. A refused create is only on this page. */
  step?: CreateStatus | "refused" | undefined;
  capability: CapabilityName;
  /** The request body with ids instead of files; `undefined` until it is sent. */
  body?: Readonly<Values> | undefined;
  state?: string | undefined;
  progress?: number | undefined;
  eta?: Task["eta"];
  /** The time since which the media service has not answered, in milliseconds since the epoch. */
  unansweredSince?: number | undefined;
  outputs: readonly Output[];
  /** The emulator's notes on the outputs, in order; `undefined` for a task of the media service. */
  emulated?: readonly (string | null)[] | undefined;
  model?: string | undefined;
  credits?: number | undefined;
  warnings?: readonly string[] | undefined;
  /** The start, in milliseconds since the epoch, like the times below. */
  startedAt: number;
  endedAt?: number | undefined;
  /** True if the task comes from the gateway's history: of another device or a cleared browser. */
  elsewhere?: true | undefined;
  /** True if the create can be repeated with its key. */
  resumable?: boolean | undefined;
}

const TERMINAL = new Set<string | undefined>([
  "SUCCEEDED",
  "FAILED",
  "EXPIRED",
]);

export function isOver(state: string | undefined): boolean {
  return TERMINAL.has(state);
}

/** The steps of creates that nothing works on. */
const IDLE = new Set<Entry["step"]>(["unknown", "interrupted", "refused"]);

export function isSubmitting({ step }: Entry): boolean {
  return step !== undefined && !IDLE.has(step);
}

/** Returns true if a create was sent, or may have been, so that its task may cost credits. */
export function isSent(entry: Entry | undefined): boolean {
  if (!entry) return false;
  const { step } = entry;
  return step === undefined || step === "sending" || step === "unknown";
}

export function isActive(entry: Entry): boolean {
  const { step, paused, removedAt, state } = entry;
  return (
    !IDLE.has(step) && !paused && removedAt === undefined && !isOver(state)
  );
}

export function capabilityTitle({
  capability,
}: Pick<Entry, "capability">): string {
  return findCapability(capability)?.title ?? capability;
}

export function headingOf(entry: Pick<Entry, "capability" | "title">): string {
  return entry.title || capabilityTitle(entry);
}

const STEPS: Record<NonNullable<Entry["step"]>, string> = {
  waiting: "Waiting",
  uploading: "Uploading",
  moving: "Moving the result",
  sending: "Sending",
  unknown: "Outcome unknown",
  interrupted: "Not sent",
  refused: "Not started",
};

export function stateOf({ paused, state, step }: Entry): string {
  if (step) return STEPS[step];
  if (paused && !isOver(state)) return "Not watched";
  return stateWord(state);
}
