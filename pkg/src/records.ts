// Converts the gateway's records, whose members are in snake case, into the package's objects.

import type { HistoryEntry, PipelineEntry } from "./types/history.js";
import type { PipelineSnapshot, StepSnapshot } from "./types/pipeline.js";
import type { Output, TaskSnapshot } from "./types/task.js";

/** A task, an output, a pipeline or a step as the gateway sends it. */
export type Received = Readonly<Record<string, unknown>>;

export type OutputMembers = Omit<Output, "blob" | "download">;

/**
 * Returns members of a record with their names in camel case, without those that are absent or
 * null.
 */
function membersOf<Members>(record: Received, names: readonly string[]) {
  const present = names.filter((name) => record[name] != null);
  const members = present.map((name) => [
    name.replaceAll(/_./g, ([, letter = ""]) => letter.toUpperCase()),
    record[name],
  ]);
  return Object.fromEntries(members) as Members;
}

/** Returns an output without its place. */
export function outputOf(
  record: Received,
): Omit<OutputMembers, "taskId" | "output"> {
  const names = ["url", "kept", "not_kept", "size", "content_type"];
  return membersOf(
    record,
    names.concat("file_name", "expires_at", "asset_id", "kind"),
  );
}

/** Returns the members of a task's snapshot that the wasm does not read. */
export function progressOf(
  record: Received,
): Pick<
  TaskSnapshot,
  | "eta"
  | "changedAt"
  | "unansweredSince"
  | "unfinished"
  | "warnings"
  | "error"
  | "model"
  | "credits"
> {
  const names = ["eta", "changed_at", "unanswered_since", "unfinished"];
  const { model_id: model, credits, error } = record;
  return {
    // A record of the media service itself may have another error.
    ...membersOf<TaskSnapshot>(
      record,
      names.concat("warnings", isRecord(error) ? "error" : []),
    ),
    // The gateway passes these on unchecked.
    ...(typeof model === "string" && { model }),
    ...(typeof credits === "number" && { credits }),
  };
}

export function taskEntryOf(record: Received): Omit<HistoryEntry, "outputs"> {
  const names = ["id", "capability", "title", "created_at", "ended_at"];
  return membersOf(
    record,
    names.concat("unfinished", "state", "error", "outcome"),
  );
}

export function pipelineEntryOf(record: Received): PipelineEntry {
  return membersOf(record, ["id", "title", "state", "created_at", "ended_at"]);
}

/**
 * Returns a pipeline without its own outputs.
 *
 * @param outputsOf - Converts the outputs of a step, which has the task with this id.
 */
export function pipelineOf<Output>(
  record: Received,
  outputsOf: (list: unknown, taskId: string | undefined) => Output[],
): Omit<PipelineSnapshot, "steps" | "outputs"> & {
  steps: (Omit<StepSnapshot, "outputs"> & { outputs: Output[] })[];
} {
  const names = ["name", "capability", "state", "uses", "task_id"];
  const all = names.concat("progress", "eta", "unanswered_since", "error");
  return {
    ...pipelineEntryOf(record),
    resumable: record.resumable === true,
    steps: recordsOf(record.steps).map((step) => ({
      uses: [],
      ...membersOf<Omit<StepSnapshot, "outputs" | "uses">>(
        step,
        all.concat("warnings"),
      ),
      outputs: outputsOf(step.outputs, step.task_id as string | undefined),
    })),
  };
}

export function recordsOf(list: unknown): Received[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Received {
  return typeof value === "object" && value !== null;
}
