// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { MediagateError } from "mediagate";
import { render } from "preact";
import { beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../src/tasks/entry";
import { soon } from "./soon";

const listed = (number: number, more: object = {}) => ({
  id: `id-${number}`,
  capability: "text_to_image" as const,
  title: `Task ${number}`,
  createdAt: new Date(Date.now() + number * 1000).toISOString(),
  state: "SUCCEEDED",
  outputs: [],
  ...more,
});

const own = (number: number, more: Partial<Entry> = {}): Entry => ({
  key: `key-${number}`,
  saved: { id: `id-${number}`, capability: "text_to_image" },
  capability: "text_to_image",
  title: `Task ${number}`,
  state: "SUCCEEDED",
  outputs: [],
  startedAt: Date.now() + number * 1000,
  ...more,
});

/** A create of this browser whose response was lost. */
const lost = (): Entry =>
  own(1, { saved: undefined, step: "unknown", sentAt: Date.now() });

const tasks = {
  list: vi.fn(),
  forget: vi.fn(async (_id: string) => undefined),
  restore: () => undefined,
};

vi.mock("../src/client", async () => {
  const { signal } = await import("@preact/signals");
  return { client: async () => ({ tasks }), connection: signal("connected") };
});

/** Makes the gateway list these tasks, in pages of this size. */
function lists(all: readonly object[], pageSize = 100): void {
  tasks.list.mockImplementation(async ({ cursor }: { cursor?: string }) => {
    const from = Number(cursor ?? 0);
    const end = from + pageSize;
    return {
      tasks: all.slice(from, end),
      pipelines: [],
      cursor: end < all.length ? String(end) : undefined,
    };
  });
}

/** Opens the page of a browser that stores these tasks. */
async function open(stored: readonly Entry[] = []) {
  vi.resetModules();
  const store = await import("../src/tasks/store");
  await store.load();
  await store.addAll(stored);
  const history = await import("../src/tasks/history");
  const { discard } = await import("../src/tasks/forget");
  const { visible } = await import("../src/parts/visible");
  const read = async () => {
    const count = tasks.list.mock.calls.length;
    visible.value = false;
    visible.value = true;
    await soon(() => expect(tasks.list).toHaveBeenCalledTimes(count + 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  visible.value = false;
  history.followHistory();
  return {
    ...history,
    discard,
    visible,
    read,
    titles: () => store.entries.value.map(({ title }) => title),
    entries: () => store.entries.value,
    records: () => store.records.value,
  };
}

beforeEach(() => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  tasks.list.mockReset();
  tasks.forget.mockClear();
});

test("a button reads older pages until one has a new task, and leaves the focus in the list", async () => {
  lists(
    [9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => listed(number)),
    2,
  );
  const page = await open([own(6), own(7)]);
  await page.read();
  await soon(() =>
    expect(page.titles()).toEqual(["Task 9", "Task 8", "Task 7", "Task 6"]),
  );
  const { TaskList } = await import("../src/tasks/TaskList");
  render(<TaskList />, document.body);
  const button = () =>
    [...document.querySelectorAll("button")].find(
      ({ textContent }) => textContent === "Show older",
    );
  const readOlder = async (count: number) => {
    await soon(() => expect(button()).toBeDefined());
    button()?.focus();
    button()?.click();
    await soon(() => expect(page.titles()).toHaveLength(count));
  };
  await readOlder(6);
  expect(page.titles().slice(4)).toEqual(["Task 5", "Task 4"]);
  await readOlder(8);
  await readOlder(9);
  await soon(() => expect(button()).toBeUndefined());
  await soon(() => expect(document.activeElement?.id).toBe("tasks-heading"));
  expect(document.body.textContent).toContain("Added 1 older task.");
});

test("a create whose response the gateway has lost may have cost credits", async () => {
  lists([listed(1, { state: undefined, outcome: "unknown" })]);
  const page = await open();
  await page.read();
  await soon(() => expect(page.entries()).toHaveLength(1));
  const [entry] = page.entries();
  expect(entry).toMatchObject({ elsewhere: true, step: "unknown" });
  const { Unresolved } = await import("../src/tasks/Submission");
  render(<Unresolved entry={entry as Entry} />, document.body);
  const { textContent } = document.body;
  expect(textContent).toContain(
    "The task may exist, and may have cost credits",
  );
  expect(textContent).not.toContain("Ask again");
});

test("a create of this browser without a response is not listed twice, nor after its removal", async () => {
  lists([listed(1, { state: undefined, outcome: "unknown" })]);
  const page = await open([lost()]);
  await page.read();
  expect(page.records()).toHaveLength(1);
  await page.discard(["key-1"]);
  expect(page.records()).toMatchObject([{ gone: true, title: "Task 1" }]);
  expect(tasks.forget).not.toHaveBeenCalled();
  await page.read();
  await soon(() => expect(page.records()).toEqual([]));
  expect(tasks.forget.mock.calls[0]?.[0]).toBe("id-1");
  // The list may have been sent before the gateway forgot the task.
  await page.read();
  expect(page.records()).toEqual([]);
});

test.each([
  ["another title", { title: "Another" }],
  ["another capability", { capability: "merge_pdf" }],
  ["an earlier time", { createdAt: new Date(0).toISOString() }],
])("a task with %s is not the create without a response", async (_, more) => {
  lists([listed(1, more)]);
  const page = await open([lost()]);
  await page.read();
  await soon(() => expect(page.records()).toHaveLength(2));
});

test("a deleted task that runs stays away, and is forgotten once it has ended", async () => {
  lists([listed(1, { state: "RUNNING" })]);
  const page = await open([own(1, { state: "RUNNING", removedAt: 1 })]);
  await page.discard(["key-1"]);
  expect(page.records()).toMatchObject([{ gone: true, title: undefined }]);
  await page.read();
  expect(page.titles()).toEqual([]);
  expect(tasks.forget).not.toHaveBeenCalled();
  lists([listed(1)]);
  await page.read();
  await soon(() => expect(page.records()).toEqual([]));
  expect(tasks.forget).toHaveBeenCalledOnce();
});

test("the record of a deleted task goes once the history does not list it", async () => {
  lists([]);
  const page = await open([own(1, { state: "RUNNING" })]);
  await page.discard(["key-1"]);
  await page.read();
  await soon(() => expect(page.records()).toEqual([]));
});

test("a gateway without a history is asked once, and one that fails again", async () => {
  const fail = (status: number) =>
    tasks.list.mockRejectedValue(
      new MediagateError({ code: "server_error", message: "no", status }),
    );
  const page = await open();
  fail(500);
  await page.read();
  fail(404);
  await page.read();
  page.visible.value = false;
  page.visible.value = true;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(tasks.list).toHaveBeenCalledTimes(2);
  expect(page.entries()).toEqual([]);
});
