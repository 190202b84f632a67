// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { Recent } from "../src/form/controls/Recent";
import { type Loadable, loadables } from "../src/results/output";
import { useResult } from "../src/results/useResult";
import type { Entry } from "../src/tasks/entry";
import { TaskThumbnail } from "../src/tasks/TaskThumbnail";
import { soon } from "./soon";

const list = vi.hoisted(() => ({ entries: [] as Entry[] }));

vi.mock("../src/tasks/store", () => ({
  entries: {
    get value() {
      return list.entries;
    },
  },
  findTask: () => undefined,
  showSnapshot: () => undefined,
}));

const URL = "https://a.test/lamp.png";

const outputs = [{ url: URL, kind: "image" }];

const entry = {
  key: "a",
  capability: "text_to_image",
  state: "SUCCEEDED",
  outputs,
  startedAt: 0,
  task: { id: "id", refresh: async () => ({ outputs }) },
} as unknown as Entry;

function Page() {
  const [output] = loadables(entry) as [Loadable];
  const { loading, playing } = useResult(entry, output);
  return (
    <>
      <TaskThumbnail entry={entry} />
      <Recent medium="image" add={() => undefined} />
      <button type="button" id="fail" onClick={playing.onError} />
      <button type="button" id="renew" onClick={() => void loading.load()} />
      <button type="button" id="load" onClick={() => playing.describe("")} />
      <output>{loading.isGone ? "gone" : "there"}</output>
    </>
  );
}

const press = (id: string) => document.getElementById(id)?.click();
const shown = () => ({
  result: document.querySelector("output")?.textContent,
  state: document.querySelector(".state")?.getAttribute("data-state"),
  offered: document.querySelectorAll(".recent button").length,
});

test("a result that is gone loses its tick, and is not offered as an input, until it loads", async () => {
  list.entries = [entry];
  render(<Page />, document.body);
  const there = { result: "there", state: "SUCCEEDED", offered: 1 };
  expect(shown()).toEqual(there);
  // The link may have expired.
  press("fail");
  await new Promise((done) => setTimeout(done, 50));
  expect(shown()).toEqual(there);
  press("renew");
  await new Promise((done) => setTimeout(done, 50));
  press("fail");
  await soon(() =>
    expect(shown()).toEqual({ result: "gone", state: "gone", offered: 0 }),
  );
  press("load");
  await soon(() => expect(shown()).toEqual(there));
});
