// @vitest-environment happy-dom
import type { HistoryEntry } from "mediagate";
import { fakeMedia, MediagateError } from "mediagate/testing";
import { render } from "preact";
import { beforeEach, expect, test, vi } from "vitest";
import { clearBrowser, openPage } from "./page";
import { soon } from "./soon";

const listed = (number: number, more: object = {}): HistoryEntry => ({
  id: `id-${number}`,
  capability: "text_to_image",
  title: `Task ${number}`,
  createdAt: new Date(Date.now() + number * 1000).toISOString(),
  state: "SUCCEEDED",
  outputs: [],
  ...more,
});

/** Opens a page whose gateway lists these tasks, in pages of this size. */
async function open(all: readonly HistoryEntry[] = [], pageSize = 100) {
  const media = fakeMedia();
  const list = vi.spyOn(media.tasks, "list");
  // The promise of a page can also be iterated, which the playground does not do.
  list.mockImplementation((async ({ cursor }: { cursor?: string }) => {
    const from = Number(cursor ?? 0);
    const end = from + pageSize;
    return {
      tasks: all.slice(from, end),
      pipelines: [],
      ...(end < all.length && { cursor: String(end) }),
    };
  }) as never);
  const page = await openPage(media);
  const { visible } = page.visible;
  const { entries, isLoaded } = page.store;
  await soon(() => expect(isLoaded.value).toBe(true));
  visible.value = false;
  page.history.followHistory();
  return {
    ...page,
    media,
    gateway: list,
    entries,
    titles: () => entries.value.map(({ title }) => title),
    async read() {
      const count = list.mock.calls.length;
      visible.value = false;
      visible.value = true;
      await soon(() => expect(list).toHaveBeenCalledTimes(count + 1));
    },
    visible,
  };
}

beforeEach(clearBrowser);

test("a button reads older pages until one has a new task, and leaves the focus in the list", async () => {
  const numbers = [9, 8, 7, 6, 5, 4, 3, 2, 1];
  const all = numbers.map((number) => listed(number));
  const page = await open(all, 2);
  const store = await page.opened.opened;
  await store?.add(page.media, all.slice(2, 4));
  await page.read();
  await soon(() =>
    expect(page.titles()).toEqual(["Task 9", "Task 8", "Task 7", "Task 6"]),
  );
  render(<page.list.TaskList />, document.body);
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
  const page = await open([
    listed(1, { state: undefined, outcome: "unknown" }),
  ]);
  await page.read();
  await soon(() => expect(page.entries.value).toHaveLength(1));
  const [entry = expect.fail("there is no task")] = page.entries.value;
  expect(entry).toMatchObject({ elsewhere: true, step: "unknown" });
  render(<page.submission.Unresolved entry={entry} />, document.body);
  const { textContent } = document.body;
  expect(textContent).toContain(
    "The task may exist, and may have cost credits",
  );
  expect(textContent).not.toContain("Ask again");
});

test("a removed task is deleted after a day, here and at the gateway", async () => {
  const page = await open([listed(2), listed(1)]);
  const forget = vi.spyOn(page.media.tasks, "forget");
  await page.read();
  await soon(() => expect(page.entries.value).toHaveLength(2));
  const [first, second] = page.entries.value;
  const day = 24 * 3_600_000;
  await page.store.update(first?.key ?? "", { removedAt: Date.now() - day });
  await page.store.update(second?.key ?? "", { removedAt: Date.now() });
  void page.undo.discardExpired();
  await soon(() => expect(page.store.records.value).toHaveLength(1));
  expect(page.store.removedEntries.value[0]?.title).toBe("Task 1");
  await soon(() => expect(forget).toHaveBeenCalledOnce());
  expect(forget.mock.calls[0]?.[0]).toBe("id-2");
});

test("a gateway without a history is asked once, and one that fails again", async () => {
  const page = await open();
  const fail = (status: number) =>
    page.gateway.mockRejectedValue(
      new MediagateError({ code: "server_error", message: "no", status }),
    );
  fail(500);
  await page.read();
  fail(404);
  await page.read();
  page.visible.value = false;
  page.visible.value = true;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(page.gateway).toHaveBeenCalledTimes(2);
  expect(page.entries.value).toEqual([]);
});
