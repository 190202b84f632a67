// The options for TanStack Query. tests/packaging has the types that TanStack infers from them.

import type {
  HistoryEntry,
  Media,
  PipelineEntry,
  Task,
  TaskPage,
  TaskSnapshot,
} from "mediagate";
import {
  createMutation,
  historyQuery,
  modelsQuery,
  pipelineQuery,
  type TaskData,
  taskQuery,
  uploadMutation,
} from "mediagate/query";
import type { StoringMedia } from "mediagate/store";

export function tasks(
  media: Media | undefined,
  storing: StoringMedia,
  task: Task,
  entry: HistoryEntry,
) {
  const options = taskQuery(media, task);
  const shown: (data: TaskData) => TaskSnapshot = options.select;
  // @ts-expect-error an id without a capability is not a task
  taskQuery(media, task.id);
  // @ts-expect-error the cache has outputs without methods
  const data: TaskSnapshot = task.snapshot as TaskData;
  return [
    taskQuery(storing, task.snapshot),
    taskQuery(storing, task.toJSON()),
    taskQuery(undefined, entry),
    taskQuery(storing, undefined),
    ...[shown, data],
  ];
}

export function others(media: Media, entry: PipelineEntry, task: Task) {
  // @ts-expect-error a task is not a pipeline
  pipelineQuery(media, task);
  // @ts-expect-error there is no such option
  modelsQuery(media, { limit: 3 });
  const history = historyQuery(media, { limit: 3, key: "jo" });
  const pages: TaskPage[] = history.select({ pages: [], pageParams: [] }).pages;
  return [pipelineQuery(media, entry), pipelineQuery(media, "id"), pages];
}

export async function mutations(media: Media): Promise<[string, string]> {
  const onProgress = ({ loaded }: { loaded: number }) => void loaded;
  const create = createMutation(media, "text_to_image", { onProgress });
  const task: Task = await create.mutationFn({ prompt: "a lighthouse" });
  // @ts-expect-error the input of another capability
  await create.mutationFn({ file_id: "f", prompt: "p", segments: [] });
  // @ts-expect-error the mutation chooses the key
  createMutation(media, "text_to_image", { idempotencyKey: "k" });
  const upload = uploadMutation(media, { name: "a.png", onProgress });
  return [task.id, await upload.mutationFn(new Uint8Array(1))];
}
