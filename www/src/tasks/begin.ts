/** Making a task so that a page that is left in the middle finds it again. */
import type { Capabilities, CapabilityName, Media } from "mediagate";
import type { Made } from "../kept";
import type { Entry } from "./entry";
import { keepMade, madeOf } from "./made";
import { change, put, remove } from "./store";
import { follow } from "./watch";

/** For how long the gateway knows the key of a create; see docs/gateway.md. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/** Lists the task, creates it and watches it; one that was refused is not listed. */
export async function begin(media: Media, capability: CapabilityName, made: Made, signal: AbortSignal): Promise<void> {
  const key = crypto.randomUUID();
  const { title } = made.values;
  await keepMade(key, made);
  put({ key, capability, title: typeof title === "string" ? title : undefined, state: "", outputs: [], startedAt: Date.now() });
  try {
    await create(media, key, capability, made, signal);
  } catch (failure) {
    remove(key);
    throw failure;
  }
}

/** Asks once more for a task whose answer this browser never saw: with the same key the gateway makes no second one. */
export async function beginAgain(media: Media, entry: Entry, signal: AbortSignal): Promise<void> {
  const made = await madeOf(entry.key);
  if (!made || Date.now() - entry.startedAt > REMEMBERED) {
    change(entry.key, { paused: true, failure: { code: "lost", message: "The page was left before the answer came." } });
    return;
  }
  await create(media, entry.key, entry.capability, made, signal);
}

async function create(media: Media, key: string, capability: CapabilityName, { body }: Made, signal: AbortSignal): Promise<void> {
  // What a form holds has no static type; `validate` has checked it.
  const input = body as unknown as Capabilities[CapabilityName];
  const task = await media.create(capability, input, { idempotencyKey: key, signal });
  follow(key, task);
}
