/** Creates tasks so that a page that is left during a create finds its task again. */
import type { Capabilities, CapabilityName, Media } from "mediagate";
import { KEY_LIFETIME_MS } from "../shared";
import type { TaskInput } from "../storage";
import type { Entry } from "./entry";
import { put, remove, update } from "./store";
import { readInput, saveInput } from "./taskInput";
import { follow } from "./watch";

/** Lists the task, creates it and watches it; a create that fails is not listed. */
export async function createTask(
  media: Media,
  capability: CapabilityName,
  input: TaskInput,
  signal: AbortSignal,
): Promise<void> {
  const key = crypto.randomUUID();
  const { title } = input.values;
  await saveInput(key, input);
  put({
    key,
    capability,
    title: typeof title === "string" ? title : undefined,
    state: "",
    outputs: [],
    startedAt: Date.now(),
  });
  try {
    await send(media, key, capability, input, signal);
  } catch (failure) {
    remove(key);
    throw failure;
  }
}

/** Repeats a create whose response this browser never received: with the same key the gateway creates no second task. */
export async function retryCreate(media: Media, entry: Entry, signal: AbortSignal): Promise<void> {
  const input = await readInput(entry.key);
  if (!input || Date.now() - entry.startedAt > KEY_LIFETIME_MS) {
    update(entry.key, {
      paused: true,
      failure: { code: "lost", message: "The page was left before the response arrived." },
    });
    return;
  }
  await send(media, entry.key, entry.capability, input, signal);
}

async function send(
  media: Media,
  key: string,
  capability: CapabilityName,
  { body }: TaskInput,
  signal: AbortSignal,
): Promise<void> {
  // A form's values have no static type; `validate` has checked them.
  const input = body as unknown as Capabilities[CapabilityName];
  const task = await media.create(capability, input, { idempotencyKey: key, signal });
  follow(key, task);
}
