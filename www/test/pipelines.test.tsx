// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { type Issue, MediagateError, type StepSnapshot } from "mediagate";
import { render } from "preact";
import { afterEach, expect, test } from "vitest";
import { modelOf } from "../src/form/model";
import { act, notices } from "../src/notices/store";
import { describe } from "../src/pipelines/describe";
import {
  dependsOn,
  discardDraft,
  draft,
  draftKnown,
  editing,
  isStarting,
  putStep,
  removeStep,
  usersOf,
} from "../src/pipelines/draft";
import { remaining } from "../src/pipelines/remaining";
import { StartFailure } from "../src/pipelines/StartFailure";
import { failedStart } from "../src/pipelines/start";
import type { DraftStep } from "../src/storage";
import { capabilityOf } from "./capability";
import { soon } from "./soon";

const PICTURE = { step: "text_to_image", name: "Picture", kind: "image" };

const names = () => draft.value.steps.map(({ name }) => name);

const undo = () => {
  const last = notices.value.at(-1);
  if (last) act(last);
};

/** Adds a picture and its video to the new pipeline. */
function addTwo(): [DraftStep, DraftStep] {
  const picture = putStep("text_to_image", { prompt: "a" });
  const video = putStep("image_to_video", { file_id: PICTURE, prompt: "b" });
  if (!picture || !video) throw new Error("a step was not added");
  return [picture, video];
}

afterEach(() => {
  isStarting.value = false;
  discardDraft();
});

test("a step is added again, edited, removed and brought back under its name", () => {
  const [picture, video] = addTwo();
  putStep("text_to_image", { prompt: "a" });
  expect(names()).toEqual([
    "text_to_image",
    "image_to_video",
    "text_to_image_2",
  ]);
  expect(usersOf(picture.name)).toEqual([video]);
  expect(dependsOn(video.name, picture.name)).toBe(true);
  const { key } = draft.value;
  editing.value = picture.name;
  putStep("text_to_image", { prompt: "c" });
  expect(draft.value.steps[0]?.values).toEqual({ prompt: "c" });
  expect(draft.value.key).not.toBe(key);
  expect(editing.value).toBeUndefined();
  removeStep(video);
  expect(names()).toEqual(["text_to_image", "text_to_image_2"]);
  undo();
  expect(names()[1]).toBe("image_to_video");
  discardDraft();
  expect(names()).toEqual([]);
  undo();
  expect(names()).toHaveLength(3);
});

test("a pipeline that is being started does not change", () => {
  const [, video] = addTwo();
  isStarting.value = true;
  removeStep(video);
  discardDraft();
  expect(putStep("text_to_image", {})).toBeUndefined();
  expect(names()).toHaveLength(2);
});

test("a form loses the result of a step that is removed", async () => {
  const [, video] = addTwo();
  const model = modelOf(capabilityOf("add_audio_to_video"));
  const film = { step: video.name, name: "Film", kind: "video" };
  model.set("video_file_id", film);
  await draftKnown;
  expect(model.usesStep.value).toBe(true);
  removeStep(video);
  await soon(() => expect(model.usesStep.value).toBe(false));
});

test("a step is described by its prompt, its inputs and its changed settings", () => {
  const [image, { values, ...video }] = addTwo();
  const more = { ...values, duration_seconds: 1 };
  expect(describe({ ...video, values: more }, [image])).toEqual({
    prompt: "b",
    inputs: ["Image: from Text to image"],
    settings: ["Duration (seconds) 1"],
  });
});

/** Returns the words for a start that the gateway refused. */
function refused(reason: string, issues: readonly Issue[] = []): string {
  const error = new MediagateError({
    code: "invalid_input",
    message: "1 problem",
    reason,
    issues,
  });
  failedStart.value = { key: draft.value.key, error };
  render(<StartFailure />, document.body);
  return document.body.textContent;
}

test("a refused start names its step, or says that there are no pipelines", () => {
  addTwo();
  const issue = {
    path: "steps.text_to_image.input.seed",
    reason: "out_of_range" as const,
    message: "is too large",
  };
  expect(refused("invalid_fields", [issue])).toContain(
    "Text to image Seed is too large",
  );
  expect(refused("unknown_path")).toContain("This gateway runs no pipelines");
  expect(refused("idempotency_key_reused")).toContain(
    "This pipeline was already started, with other files",
  );
});

test("the rest of a pipeline leaves out steps that may have cost credits already", () => {
  const step = (name: string, input_file_id?: string): DraftStep => ({
    name,
    capability: "resize_video",
    values: input_file_id
      ? { input_file_id: { step: input_file_id, name: "A", kind: "image" } }
      : {},
  });
  const built = [
    step("picture"),
    step("film", "picture"),
    step("small", "film"),
    step("talk"),
    step("short", "talk"),
  ];
  const output = (kind: string, position: number) => ({
    kind,
    taskId: "t",
    output: position,
  });
  const outputs = [output("video", 0), output("image", 1)];
  const steps = [
    { name: "picture", state: "SUCCEEDED", uses: [], outputs },
    { name: "film", state: "FAILED", uses: ["picture"], outputs: [] },
    { name: "small", state: "SKIPPED", uses: ["film"], outputs: [] },
    { name: "talk", state: "UNKNOWN", uses: [], outputs: [] },
    { name: "short", state: "SKIPPED", uses: ["talk"], outputs: [] },
  ] as unknown as readonly StepSnapshot[];
  const [film, small, ...others] = remaining(built, steps);
  expect(others).toEqual([]);
  expect(film?.values.input_file_id).toEqual({
    ...output("image", 1),
    name: "A",
  });
  expect(small).toEqual(built[2]);
});
