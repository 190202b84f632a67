// Correct uses of the package compile; wrong ones are marked, and a mark without an error is an
// error.
import {
  connect,
  isMediagateError,
  type Media,
  type Retry,
  type TaskSnapshot,
  validate,
} from "mediagate";

export async function compiles(photo: File): Promise<TaskSnapshot> {
  const media: Media = await connect({
    url: "https://media.example.com",
    token: async () => "token",
  });
  const task = await media.imageToVideo({
    file_id: photo,
    prompt: "slow push in",
    aspect_ratio: "16:9",
    clarity: "any",
  });
  for await (const update of task) {
    const progress: number | undefined = update.progress;
    void progress;
  }
  await media.create("merge_pdf", { input_file_ids: ["a", photo] });
  const { tasks } = await media.tasks.list({ limit: 5 });
  const [entry] = tasks;
  if (entry)
    await media.mergePdf({
      input_file_ids: [
        task,
        task.snapshot,
        task.toJSON(),
        entry,
        ...entry.outputs,
        "id",
      ],
    });
  await media.audioDriven({
    avatar_asset_id: task,
    audio_file_id: { taskId: "t", output: 0 },
  });
  await media.tasks.forget(task);
  const id: string = await media.upload(photo);
  void id;
  return task.done();
}

export async function rejects(media: Media): Promise<void> {
  // @ts-expect-error a required field is missing
  await media.imageToVideo({ file_id: "f" });
  // @ts-expect-error an unknown field
  await media.imageToVideo({ file_id: "f", prompt: "p", promt: "p" });
  // @ts-expect-error no such capability
  await media.create("image_to_vide", { file_id: "f", prompt: "p" });
  // @ts-expect-error the input of another capability
  await media.create("merge_pdf", { file_id: "f", prompt: "p" });
  await media.videoLogoRemoval({
    input_video_file_id: "f",
    // @ts-expect-error a size has two numbers
    video_size: [1280],
  });
  await media.imageToVideo({
    // @ts-expect-error an object that names neither a task, an output nor a URL
    file_id: { uri: "https://h/a.png" },
    prompt: "p",
  });
  await media.imageToVideo({
    file_id: "f",
    // @ts-expect-error a prompt is no result
    prompt: await media.textToImage({ prompt: "p" }),
  });
  // @ts-expect-error there is no option for an API key
  await connect({ url: "https://media.example.com", apiKey: "k" });
  // @ts-expect-error there is no `free`
  media.free();
}

export async function narrows(error: unknown): Promise<string> {
  const issues = await validate("text_to_image", {}, { timeout: 1_000 });
  for (const { path, reason, message } of issues) void [path, reason, message];
  if (!isMediagateError(error)) return "something else";
  // @ts-expect-error the codes are literals
  if (error.code === "insuficient_credits") return "never";
  return error.code === "insufficient_credits"
    ? (error.requestId ?? "")
    : error.message;
}

export function knows(error: unknown): string {
  if (!isMediagateError(error)) return "something else";
  switch (error.code) {
    case "task_failed":
    case "task_expired":
      return error.task.outputs[0]?.url ?? error.task.id;
    case "insufficient_credits":
      return error.appCode.toFixed();
    case "network":
      // @ts-expect-error it is not certain that there is a task
      return error.hint ?? error.task.id;
    default:
      return error.message;
  }
}

export async function limited(
  media: Media,
  pages: Uint8Array,
): Promise<TaskSnapshot> {
  const onRetry = ({ attempt, milliseconds, error }: Retry) =>
    console.warn(attempt, milliseconds / 1000, error.code);
  const task = await media.splitPdf(
    { input_file_id: pages, page_range: "1" },
    { maxRetries: 0, onRetry },
  );
  // @ts-expect-error a number of retries
  await task.refresh({ maxRetries: "none" });
  return task.done({ maxRetries: 2, timeout: 1_000 });
}
