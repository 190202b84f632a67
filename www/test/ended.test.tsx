// @vitest-environment happy-dom
import { type FakeSnapshot, fakeMedia } from "mediagate/testing";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { clearBrowser, openPage } from "./page";
import { soon } from "./soon";

test("an end is on the stage, in the tab's title, and in a notification if a person has asked for it", async () => {
  const requestPermission = vi.fn(async () => "granted");
  const notification = Object.assign(vi.fn(), { requestPermission });
  vi.stubGlobal("Notification", notification);
  clearBrowser();
  let succeed = (_: FakeSnapshot) => {};
  const media = fakeMedia({
    text_to_image: () => [
      { state: "RUNNING" },
      new Promise<FakeSnapshot>((resolve) => (succeed = resolve)),
    ],
  });
  const { store, submit, visible, ended, stage, list } = await openPage(media);
  render(<list.TaskList />, document.body);
  ended.followEnds();
  visible.visible.value = false;
  const end = async (title: string) => {
    const values = { title, prompt: "a boat" };
    const key = title.replace(" ", "-");
    await submit.submitTask(key, "text_to_image", values);
    const stateOf = () => store.findEntry(key)?.state;
    await soon(() => expect(stateOf()).toBe("RUNNING"));
    stage.showRun({ kind: "task", key: "A-boat" });
    const { value: before } = stage.revealed;
    const url = `https://a.test/${title}.png`;
    succeed({ state: "SUCCEEDED", outputs: [{ url, kind: "image" }] });
    await soon(() => expect(stateOf()).toBe("SUCCEEDED"));
    expect(stage.shown.value).toMatchObject({ kind: "task", entry: { key } });
    expect(stage.revealed.value).not.toBe(before);
    expect(stage.revealed.value).toEqual({ isAsked: false });
  };
  await end("A boat");
  expect(ended.endedTitle.value).toBe("Done: A boat");
  expect(notification).not.toHaveBeenCalled();
  const bell = () =>
    document.querySelector<HTMLElement>("[title='Notify me when a task ends']");
  await soon(() => expect(bell()?.getAttribute("aria-pressed")).toBe("false"));
  bell()?.click();
  await soon(() => expect(bell()?.getAttribute("aria-pressed")).toBe("true"));
  expect(requestPermission).toHaveBeenCalledOnce();
  await end("A kite");
  expect(ended.endedTitle.value).toBe("2 tasks ended");
  expect(notification.mock.calls[0]?.[0]).toBe("Done: A kite");
  visible.visible.value = true;
  expect(ended.endedTitle.value).toBe("");
  await end("A lamp");
  expect(notification).toHaveBeenCalledOnce();
  expect(ended.endedTitle.value).toBe("");
  // A person looks at a task, which no other end replaces.
  stage.choose({ kind: "task", key: "A-boat" });
  stage.showEnd({ kind: "task", key: "A-lamp" });
  expect(stage.shown.value).toMatchObject({ entry: { key: "A-boat" } });
});
