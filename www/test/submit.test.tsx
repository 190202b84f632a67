// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { type Media, MediagateError } from "mediagate";
import { render } from "preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { modelOf } from "../src/form/model";
import { tasksEnded } from "../src/form/moves";
import { act, notices } from "../src/notices/store";
import { chosen, go } from "../src/route";
import type { Entry } from "../src/tasks/entry";
import { rerun } from "../src/tasks/rerun";
import { Unresolved } from "../src/tasks/Submission";
import { entries, erase, load, records, update } from "../src/tasks/store";
import { TaskCard } from "../src/tasks/TaskCard";
import { saveInput } from "../src/tasks/taskInput";
import { capabilityOf } from "./capability";
import { soon } from "./soon";

const create = vi.fn();
const restore = vi.fn();
const connected = { wait: Promise.resolve() };

vi.mock("../src/client", async () => {
  const { signal } = await import("@preact/signals");
  return {
    connection: signal("connected"),
    async client() {
      await connected.wait;
      return { create, tasks: { restore } };
    },
    async withCreate<T>(_: string, send: () => void, work: () => Promise<T>) {
      await send();
      return work();
    },
  };
});

const capability = capabilityOf("text_to_image_turbo");
const model = modelOf(capability);

type Members = Partial<ConstructorParameters<typeof MediagateError>[0]>;

const fail = (members: Members) =>
  create.mockRejectedValueOnce(
    new MediagateError({ code: "network", message: "no", ...members }),
  );
const lose = () => fail({ outcome: "unknown" });
const keys = () =>
  create.mock.calls.map(([, , options]) => options.idempotencyKey);
const states = () =>
  entries.value.map(({ step, state, saved }) => step ?? state ?? saved?.id);
const change = (changes: Partial<Entry>) =>
  update(records.value[0]?.key ?? "", changes);

beforeEach(async () => {
  const locks = {
    request: (_: string, __: object, work: () => void) => work(),
  };
  Object.defineProperty(navigator, "locks", {
    value: locks,
    configurable: true,
  });
  await load();
  create.mockReset();
  create.mockImplementation(async (name: string) => ({
    toJSON: () => ({ id: "id", capability: name }),
    outputs: [],
  }));
  go(capability);
  model.reset();
  model.set("prompt", "a paper boat");
});

afterEach(async () => {
  await erase(records.value.map(({ key }) => key));
  notices.value = [];
});

test("a create whose outcome is unknown is repeated with its key, even after its removal", async () => {
  lose();
  await model.submit();
  expect(states()).toEqual(["unknown"]);
  expect(model.unsettled.value).toBe(entries.value[0]);
  // The refusal of this attempt tells nothing about the first one.
  fail({ code: "forbidden", outcome: "not_sent" });
  await model.submit();
  expect(states()).toEqual(["unknown"]);
  expect(entries.value[0]?.failure?.code).toBe("forbidden");
  await change({ removedAt: Date.now() });
  expect(model.unsettled.value).toBeUndefined();
  await model.submit();
  expect(states()).toEqual(["id"]);
  expect(keys()).toHaveLength(3);
  expect(new Set(keys()).size).toBe(1);
});

test("another input, a wish or a day makes a new task of an unknown one", async () => {
  lose();
  await model.submit();
  await model.submit({ asNewTask: true });
  expect(states()).toEqual(["id", "unknown"]);
  model.set("prompt", "a kite");
  expect(model.unsettled.value).toBeUndefined();
  lose();
  await model.submit();
  const yesterday = Date.now() - 23 * 3_600_000;
  await change({ startedAt: yesterday, sentAt: yesterday });
  const [old] = entries.value;
  render(<Unresolved entry={old as Entry} />, document.body);
  expect(document.body.textContent).toContain("for only a day");
  expect(document.body.textContent).not.toContain("Ask again");
  await model.submit();
  expect(new Set(keys()).size).toBe(4);
});

test("a second press of Try again during the first creates nothing", async () => {
  await model.submit();
  const [entry] = entries.value;
  if (!entry) throw new Error("there is no task");
  await Promise.all([rerun(entry), rerun(entry)]);
  expect(create).toHaveBeenCalledTimes(2);
});

test("a cancel while the form still waits for the client creates nothing", async () => {
  let connect = () => {};
  connected.wait = new Promise((resolve) => (connect = resolve));
  const submitted = model.submit();
  expect(model.busy.value).toBe(true);
  model.cancel();
  expect(model.busy.value).toBe(false);
  connect();
  await submitted;
  expect(create).not.toHaveBeenCalled();
  expect(states()).toEqual([]);
});

test("a refusal is a notice if another form is on the screen", async () => {
  fail({ code: "insufficient_credits", appCode: 1401, outcome: "rejected" });
  const submitted = model.submit();
  go(capabilityOf("merge_pdf"));
  await submitted;
  const [notice] = notices.value;
  expect(notice?.text).toContain(
    "was not created, and costs nothing. The account has too few credits",
  );
  expect(states()).toEqual([]);
  if (notice) act(notice);
  expect(chosen.value).toBe(capability);
  expect(model.failure.value).toBeDefined();
});

test("an upload does not go on after a reload if the browser stores no files", async () => {
  const { put } = IDBObjectStore.prototype;
  const spy = vi
    .spyOn(IDBObjectStore.prototype, "put")
    .mockImplementation(function (this: IDBObjectStore, value, key) {
      if (value instanceof File) throw new Error("files are not stored");
      return put.call(this, value, key);
    });
  await saveInput("a", { values: { file_id: new File(["a"], "a.png") } });
  spy.mockRestore();
  vi.resetModules();
  const reloaded = await import("../src/tasks/submit");
  const store = await import("../src/tasks/store");
  await store.add({
    key: "a",
    capability: "background_removal",
    step: "uploading",
    outputs: [],
    startedAt: Date.now(),
  });
  await reloaded.resumeSubmission("a");
  const [entry] = store.entries.value;
  expect(entry?.step).toBe("interrupted");
  expect(create).not.toHaveBeenCalled();
  const page = await import("../src/tasks/Submission");
  render(<page.Interrupted entry={entry as Entry} />, document.body);
  await soon(() =>
    expect(document.body.textContent).toContain("did not store the files"),
  );
});

test("a card has the warnings of its record", async () => {
  const raw = { warnings: ["seed was ignored"] };
  restore.mockReturnValueOnce({
    snapshot: { state: "SUCCEEDED", outputs: [], raw },
    followed() {},
  });
  await model.submit();
  await soon(() => expect(entries.value[0]?.state).toBe("SUCCEEDED"));
  render(<TaskCard entry={entries.value[0] as Entry} newest />, document.body);
  expect(document.body.textContent).toContain("Note: Seed was ignored.");
});

test("a failed task has no result to use", async () => {
  const done = async () => {
    throw new MediagateError({ code: "task_failed", message: "no" });
  };
  const media = { tasks: { restore: () => ({ done }) } } as unknown as Media;
  const running = { id: "id", capability: "text_to_image", name: "Boat" };
  const { signal } = new AbortController();
  await expect(tasksEnded(media, { file_id: running }, signal)).rejects.toThrow(
    "“Boat” has failed, so it has no result to use.",
  );
});
