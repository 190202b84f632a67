// @vitest-environment happy-dom
import {
  type FakeSnapshot,
  fakeMedia,
  MediagateError,
} from "mediagate/testing";
import { render } from "preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sendMoving } from "../src/form/moves";
import { clearBrowser, openPage } from "./page";
import { soon } from "./soon";

const NAME = "text_to_image_turbo";

type Members = Partial<ConstructorParameters<typeof MediagateError>[0]>;

type Answer = MediagateError | readonly FakeSnapshot[];

const failed = (members: Members) =>
  new MediagateError({ code: "network", message: "no", ...members });
const lost = () => failed({ outcome: "unknown" });

/** A gateway that answers the creates in order, and those after them with a task that runs. */
function gateway(...answers: (Answer | Promise<Answer>)[]) {
  const media = fakeMedia({
    [NAME]: () => answers.shift() ?? [{ state: "RUNNING" }],
  });
  const create = vi.spyOn(media, "create");
  const keys = () =>
    create.mock.calls.map(([, , options]) => options?.idempotencyKey);
  return { media, create, keys };
}

/** Opens a page with a form that can be sent. */
async function open(...options: Parameters<typeof openPage>) {
  const page = await openPage(...options);
  const capability = page.capability.capabilityOf(NAME);
  const model = page.model.modelOf(capability);
  page.route.go(capability);
  model.set("prompt", "a paper boat");
  const { entries, records } = page.store;
  const reaches = (...wanted: string[]) =>
    soon(() =>
      expect(entries.value.map(({ step, state }) => step ?? state)).toEqual(
        wanted,
      ),
    );
  const first = () => records.value[0] ?? expect.fail("there is no task");
  const note: typeof page.store.update = async (key, notes) => {
    await soon(() => expect(page.store.findEntry(key)?.stored).toBeDefined());
    await page.store.update(key, notes);
  };
  return { ...page, form: model, chosen: capability, reaches, first, note };
}

beforeEach(clearBrowser);

afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

test.each(["stores its tasks", "has no IndexedDB"])(
  "if the browser %s, a create whose outcome is unknown is repeated with its key, even after its removal",
  async (browser) => {
    if (browser === "has no IndexedDB") vi.stubGlobal("indexedDB", undefined);
    const refusal = failed({ code: "forbidden", outcome: "not_sent" });
    const end = [{ state: "RUNNING" }, { state: "SUCCEEDED" }] as const;
    const { media, keys } = gateway(lost(), refusal, end);
    const page = await open(media);
    await page.form.submit();
    await page.reaches("unknown");
    expect(page.form.unsettled.value).toBe(page.first());
    // The refusal of this attempt tells nothing about the first one.
    await page.form.submit();
    await soon(() => expect(page.first().failure?.code).toBe("forbidden"));
    await page.reaches("unknown");
    page.undo.removeTasks([page.first().key]);
    await page.reaches();
    expect(page.form.unsettled.value).toBeUndefined();
    await page.form.submit();
    await page.reaches("SUCCEEDED");
    expect(page.first().failure).toBeUndefined();
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
    expect(page.first().key).toBe(keys()[0]);
  },
);

test("another input, a wish or a day makes a new task of an unknown one", async () => {
  const { media, keys } = gateway(lost(), [{ state: "RUNNING" }], lost());
  const page = await open(media);
  await page.form.submit();
  await page.reaches("unknown");
  await page.form.submit({ asNewTask: true });
  await page.reaches("RUNNING", "unknown");
  page.form.set("prompt", "a kite");
  expect(page.form.unsettled.value).toBeUndefined();
  await page.form.submit();
  await page.reaches("unknown", "RUNNING", "unknown");
  vi.setSystemTime(Date.now() + 23 * 3_600_000);
  document.dispatchEvent(new Event("visibilitychange"));
  await soon(() => expect(page.first().resumable).toBe(false));
  render(<page.submission.Unresolved entry={page.first()} />, document.body);
  expect(document.body.textContent).toContain("for only a day");
  expect(document.body.textContent).not.toContain("Ask again");
  await page.form.submit();
  await page.reaches("RUNNING", "unknown", "RUNNING", "unknown");
  expect(new Set(keys()).size).toBe(4);
});

test("a second press of Try again during the first creates nothing", async () => {
  const { media, create } = gateway();
  const page = await open(media);
  await page.form.submit();
  await page.reaches("RUNNING");
  const { rerun } = page.rerun;
  await Promise.all([rerun(page.first()), rerun(page.first())]);
  expect(create).toHaveBeenCalledTimes(2);
});

test("a cancel while the form still waits for the client creates nothing", async () => {
  const { media, create } = gateway();
  let connect = (_: typeof media) => {};
  const page = await open(new Promise((resolve) => (connect = resolve)));
  const submitted = page.form.submit();
  expect(page.form.busy.value).toBe(true);
  page.form.cancel();
  expect(page.form.busy.value).toBe(false);
  connect(media);
  await submitted;
  await soon(() => expect(page.store.isLoaded.value).toBe(true));
  expect(create).not.toHaveBeenCalled();
  await page.reaches();
});

test("a cancel while the form is still checked creates nothing", async () => {
  const { media, create } = gateway();
  let pass = (_: []) => {};
  const validate = vi.fn(() => new Promise<[]>((resolve) => (pass = resolve)));
  const page = await open(media, { validate });
  const submitted = page.form.submit();
  await soon(() => expect(validate).toHaveBeenCalledOnce());
  page.form.cancel();
  pass([]);
  await submitted;
  expect(create).not.toHaveBeenCalled();
  await page.reaches();
});

test("a refused create stays on the stage, also beside another form, until one with its input replaces it or the page is left", async () => {
  // The store would keep a create that may succeed later.
  const passing = failed({ code: "budget_exceeded", outcome: "rejected" });
  const lasting = failed({ code: "insufficient_credits", outcome: "rejected" });
  const { media, keys } = gateway(passing, passing, lasting);
  const page = await open(media);
  const shows = (code: string) =>
    expect(page.stage.shown.value).toMatchObject({
      kind: "task",
      entry: { step: "refused", failure: { code } },
    });
  await page.form.submit();
  await page.reaches("refused");
  shows("budget_exceeded");
  expect(page.form.failure.value).toBeUndefined();
  await page.rerun.rerun(page.first());
  await page.reaches("refused");
  const submitted = page.form.submit();
  page.route.go(page.capability.capabilityOf("merge_pdf"));
  await submitted;
  await page.reaches("refused");
  shows("insufficient_credits");
  expect(new Set(keys()).size).toBe(3);
  expect(page.notices.notices.value).toEqual([]);
  const reloaded = await open(media);
  await soon(() => expect(reloaded.store.isLoaded.value).toBe(true));
  await reloaded.reaches();
});

test("if the gateway refuses the repetition of an unknown create, the refusal stays in its place", async () => {
  const refusal = failed({ code: "forbidden", outcome: "rejected" });
  const { media } = gateway(lost(), refusal);
  const page = await open(media);
  await page.form.submit();
  await page.reaches("unknown");
  await page.form.submit();
  await page.reaches("refused");
  expect(page.first().failure?.code).toBe("forbidden");
});

test("a create that fails stays on the stage all the time", async () => {
  const refusal = failed({ code: "forbidden", outcome: "rejected" });
  let answer = (_: Answer) => {};
  const { media } = gateway(new Promise((resolve) => (answer = resolve)));
  const page = await open(media);
  const submitted = page.form.submit();
  await page.reaches("sending");
  const kinds = new Set<string | undefined>();
  const stop = page.stage.shown.subscribe((thing) => kinds.add(thing?.kind));
  answer(refusal);
  await submitted;
  await page.reaches("refused");
  stop();
  expect([...kinds]).toEqual(["task"]);
});

test("without a store, the refusal of a repetition is shown once", async () => {
  vi.stubGlobal("indexedDB", undefined);
  const refusal = failed({ code: "forbidden", outcome: "rejected" });
  const { media } = gateway(lost(), refusal);
  const page = await open(media);
  await page.form.submit();
  await page.reaches("unknown");
  await page.rerun.repeat(page.first());
  await page.reaches("refused");
  expect(page.notices.notices.value).toEqual([]);
});

test("a create that was removed while it was sent can be restored", async () => {
  const { media, keys } = gateway(never());
  const page = await open(media);
  const submitted = page.form.submit();
  await page.reaches("sending");
  await soon(() => expect(keys()).toHaveLength(1));
  page.undo.removeTasks([page.first().key]);
  await submitted;
  await page.reaches();
  expect(page.store.removedEntries.value).toHaveLength(1);
  const [notice] = page.notices.notices.value;
  if (notice) page.notices.act(notice);
  await page.reaches("RUNNING");
  expect(keys()).toHaveLength(2);
  expect(new Set(keys()).size).toBe(1);
});

test("a create whose page was left goes on by itself, unless it was removed or has ended with an error", async () => {
  const { media, create, keys } = gateway(lost(), never(), never());
  const page = await open(media);
  const run = async (prompt: string) => {
    page.form.set("prompt", prompt);
    const count = keys().length;
    void page.form.submit();
    await soon(() => expect(keys()).toHaveLength(count + 1));
  };
  for (const prompt of ["lost", "removed", "left"]) await run(prompt);
  await page.reaches("sending", "sending", "unknown");
  await page.note(keys()[1] ?? "", { removedAt: Date.now() });
  const reloaded = await open(media);
  await reloaded.reaches("RUNNING", "unknown");
  expect(create).toHaveBeenCalledTimes(4);
  expect(keys()[3]).toBe(keys()[2]);
});

test("a create that was removed during its upload is created once it is restored", async () => {
  const media = fakeMedia({ upload: () => uploads.shift() ?? "file" });
  const uploads = [never()];
  const create = vi.spyOn(media, "create");
  const page = await open(media);
  const file_id = new File(["a"], "a.png", { type: "image/png" });
  const submitted = page.submit.submitTask("a", "background_removal", {
    file_id,
  });
  submitted.catch(() => undefined);
  await page.reaches("uploading");
  await soon(() => expect(media.calls).toHaveLength(1));
  page.undo.removeTasks(["a"]);
  await expect(submitted).rejects.toMatchObject({ code: "aborted" });
  await page.reaches();
  await soon(() => expect(page.store.findEntry("a")?.stored).toBeUndefined());
  page.undo.restoreTasks(["a"]);
  await page.reaches("SUCCEEDED");
  expect(create).toHaveBeenCalledOnce();
});

test("the stage has the warnings, the model and the price of a task, also without a result and after a reload", async () => {
  const end: FakeSnapshot = {
    state: "SUCCEEDED",
    model: "turbo-2",
    credits: 7,
    warnings: ["seed was ignored"],
  };
  const { media } = gateway([{ state: "RUNNING" }, end]);
  const page = await open(media);
  await page.form.submit();
  await page.reaches("SUCCEEDED");
  const isShown = ({ view, first }: typeof page) => {
    render(
      <view.TaskView entry={first()} output={0} chooseOutput={() => {}} />,
      document.body,
    );
    const { textContent } = document.body;
    expect(textContent).toContain("a paper boat");
    expect(textContent).toContain("Note: Seed was ignored.");
    expect(textContent).toContain("turbo-2 · 7 credits");
  };
  isShown(page);
  await soon(() => expect(page.first().stored).toBeDefined());
  const reloaded = await open(media);
  await reloaded.reaches("SUCCEEDED");
  isShown(reloaded);
  expect(media.calls).toHaveLength(1);
});

test("a task stays unwatched after a reload", async () => {
  const { media } = gateway();
  const page = await open(media);
  await page.form.submit();
  await page.reaches("RUNNING");
  await page.note(page.first().key, { paused: true });
  const { reaches, view, first } = await open(media);
  await reaches("RUNNING");
  render(
    <view.TaskView entry={first()} output={0} chooseOutput={() => {}} />,
    document.body,
  );
  expect(document.body.textContent).toContain("Not watched");
});

test("a failed task has no result to use", async () => {
  const media = fakeMedia({ text_to_image: [{ state: "FAILED" }] });
  const running = { id: "id", capability: "text_to_image", name: "Boat" };
  const sent = sendMoving(media, { file_id: running }, () =>
    media.tasks.restore({ id: "id", capability: "text_to_image" }).done(),
  );
  await expect(sent).rejects.toThrow(
    "“Boat” has failed, so it has no result to use.",
  );
});

test("an upload does not go on after a reload if the browser stores no files", async () => {
  const { put } = IDBObjectStore.prototype;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (
    this: IDBObjectStore,
    value,
    key,
  ) {
    if (value instanceof File) throw new Error("files are not stored");
    return put.call(this, value, key);
  });
  const media = fakeMedia({ upload: never });
  const create = vi.spyOn(media, "create");
  const page = await open(media);
  const file_id = new File(["a"], "a.png", { type: "image/png" });
  void page.submit.submitTask("a", "background_removal", { file_id });
  await page.reaches("uploading");
  await soon(() => expect(media.calls).toHaveLength(1));
  const reloaded = await open(media);
  await reloaded.reaches("interrupted");
  render(
    <reloaded.submission.Interrupted entry={reloaded.first()} />,
    document.body,
  );
  expect(document.body.textContent).toContain("did not store the files");
  expect(create).not.toHaveBeenCalled();
  expect(media.calls).toHaveLength(1);
});
