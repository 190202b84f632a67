// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { signal } from "@preact/signals";
import type { Media } from "mediagate";
import type { ListedTask } from "mediagate/store";
import { fakeMedia } from "mediagate/testing";
import { expect, test, vi } from "vitest";
import { soon } from "./soon";

const connection = vi.hoisted(() => ({ media: {} as { value: Media } }));

vi.mock("../src/client", () => ({
  get connected() {
    return connection.media;
  },
  client: async () => connection.media.value,
  leaveClient: async () => {},
}));

const never = () => new Promise<never>(() => {});

/** Opens the list as another page does. */
async function openPage(media: Media) {
  vi.resetModules();
  connection.media = signal(media);
  const list = await import("../src/tasks/store");
  const { watchTasks } = await import("../src/tasks/watch");
  list.followStore();
  watchTasks();
  await list.whenLoaded;
  return {
    ...list,
    ...(await import("../src/opened")),
    ...(await import("../src/tasks/submit")),
    ...(await import("../src/pipelines/steps")),
  };
}

type Page = Awaited<ReturnType<typeof openPage>>;

async function storeOf({ opened }: Page) {
  return (await opened) ?? expect.fail("there is no store");
}

const values = { prompt: "a paper boat" };

const listed = (id: string, members: Partial<ListedTask>): ListedTask => ({
  ...{ id, capability: "text_to_image" },
  createdAt: new Date().toISOString(),
  ...members,
});

test("a task that has ended shows its own failure, and none of its watching", async () => {
  const media = fakeMedia();
  const page = await openPage(media);
  const store = await storeOf(page);
  const error = { message: "It broke." };
  await store.add(media, [listed("failed", { state: "FAILED", error })], {
    metadata: { paused: false, failure: undefined },
  });
  await store.add(media, [listed("done", { state: "SUCCEEDED" })], {
    metadata: { paused: true, failure: { code: "network", message: "no" } },
  });
  const failureOf = (id: string) => page.findTask(id)?.failure?.message;
  await soon(() => expect(failureOf("failed")).toBe("It broke."));
  await soon(() => expect(page.findTask("done")).toBeDefined());
  expect(failureOf("done")).toBeUndefined();
});

test("a file that the browser has not stored is not in the values, which are not whole", async () => {
  const media = fakeMedia();
  const page = await openPage(media);
  const values = { file_ids: [undefined, "id"], file_id: undefined };
  await (await storeOf(page)).add(media, [listed("a", {})], {
    metadata: { values, files: 2 },
  });
  await soon(() =>
    expect(page.findTask("a")?.values).toEqual({ file_ids: ["id"] }),
  );
  const entry = page.findTask("a") ?? expect.fail("there is no task");
  expect(page.isWhole(entry)).toBe(false);
});

test("a task that the history lists before its pipeline becomes the pipeline's", async () => {
  const media = fakeMedia();
  const page = await openPage(media);
  const step = { ...listed("step", { state: "SUCCEEDED" }), name: "one" };
  const steps = [{ ...step, taskId: "step", uses: [], outputs: [] }] as never;
  await (await storeOf(page)).add(media, [step]);
  await page.listSteps("pipe", steps, step.createdAt);
  await soon(() => expect(page.findTask("step")?.pipeline).toBe("pipe"));
});

test("without a store, a task is watched until its end, and by the client after a crashed one", async () => {
  vi.doMock("mediagate/store", async (original) => ({
    ...(await original<object>()),
    openStore: () => Promise.reject(new Error("no")),
  }));
  const first = fakeMedia({ text_to_image: [{ state: "RUNNING" }, never()] });
  const page = await openPage(first);
  await page.submitTask("key", "text_to_image", values);
  await soon(() => expect(page.entries.value[0]?.state).toBe("RUNNING"));
  const media = fakeMedia();
  const restored = vi.spyOn(media.tasks, "restore");
  connection.media.value = media;
  await soon(() => expect(restored).toHaveBeenCalled());
});
