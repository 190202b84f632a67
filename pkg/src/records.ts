// Converts the gateway's records, whose members are in snake case, into the package's objects.

import type { CapabilityName } from "./generated/capabilities.js";
import type { OutputMembers } from "./output.js";
import type { HistoryEntry, PipelineEntry } from "./types/history.js";
import type {
  PipelineState,
  StepSnapshot,
  StepState,
} from "./types/pipeline.js";
import type { Eta, OutputKind, TaskState } from "./types/task.js";

/** An output as the gateway sends it. */
export interface OutputRecord {
  url?: string | null;
  kept?: boolean;
  not_kept?: string;
  size?: number;
  content_type?: string;
  file_name?: string;
  expires_at?: string;
  asset_id?: string | null;
  kind?: OutputKind | null;
}

/** A step of a pipeline as the gateway sends it. */
export interface StepRecord {
  name: string;
  capability: CapabilityName;
  state: StepState;
  uses?: readonly string[];
  task_id?: string;
  progress?: number;
  eta?: Eta;
  unanswered_since?: string;
  outputs?: unknown;
  error?: StepSnapshot["error"];
}

/** A pipeline as the gateway sends it. */
export interface PipelineRecord {
  id: string;
  title?: string;
  state: PipelineState;
  created_at: string;
  ended_at?: string;
  resumable?: boolean;
  steps?: unknown;
  outputs?: unknown;
}

/** A task of the history as the gateway sends it. */
export interface TaskEntryRecord {
  id: string;
  capability: CapabilityName;
  title?: string;
  created_at: string;
  ended_at?: string;
  unfinished?: true;
  state?: TaskState;
  outputs?: unknown;
  error?: HistoryEntry["error"];
  outcome?: "unknown";
}

/** Returns an output without its place. */
export function outputOf(
  record: OutputRecord,
): Omit<OutputMembers, "taskId" | "output"> {
  const { url, kind, kept, size } = record;
  return present({
    url,
    kept,
    notKept: record.not_kept,
    size,
    contentType: record.content_type,
    fileName: record.file_name,
    expiresAt: record.expires_at,
    assetId: record.asset_id,
    kind,
  }) as Omit<OutputMembers, "taskId" | "output">;
}

/** Returns a step without its outputs. */
export function stepOf(record: StepRecord): Omit<StepSnapshot, "outputs"> {
  const { name, capability, state, uses = [], progress, eta, error } = record;
  const taskId = record.task_id;
  const unansweredSince = record.unanswered_since;
  return present({
    name,
    capability,
    state,
    uses,
    taskId,
    progress,
    eta,
    unansweredSince,
    error,
  });
}

/** Returns the members that a pipeline has in a snapshot, in the history and in a webhook. */
export function pipelineOf(record: PipelineRecord): PipelineEntry {
  const { id, title, state } = record;
  const createdAt = record.created_at;
  const endedAt = record.ended_at;
  return present({ id, title, state, createdAt, endedAt });
}

/** Returns the items of a list that are objects. */
export function recordsOf<Record extends object>(list: unknown): Record[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Returns an object without the members that are `undefined` or null. */
export function present<Members extends object>(members: Members): Members {
  const entries = Object.entries(members);
  return Object.fromEntries(
    entries.filter(([, value]) => value != null),
  ) as Members;
}
