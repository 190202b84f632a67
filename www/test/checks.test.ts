// What is wrong with a request, in the words of the form.
import { type Issue, validate } from "mediagate";
import {
  checkFiles,
  checkModel,
  type FileFacts,
  mergeIssues,
} from "mediagate/forms";
import { describeIssue } from "mediagate/words";
import { expect, test } from "vitest";
import type { Capability } from "../src/catalogue";
import type { Values } from "../src/storage";
import { capabilityOf } from "./capability";

const FILE = new File(["x"], "a");

const part = (start_time: string, end_time: string) => ({
  segments: [{ start_time, end_time }],
});

/** Returns the words of the issues in the form of a capability. */
function wordsOf(issues: readonly Issue[], { fields }: Capability): string[] {
  return issues
    .map((issue) => describeIssue(issue, { fields }))
    .map(({ subject, text }) => `${subject} ${text}`);
}

test.each<[name: string, Values, FileFacts, words: string[]]>([
  [
    "split_video",
    { input_file_id: FILE, ...part("00:00:00", "00:00:05") },
    { duration: 3.6 },
    [
      "Parts to keep 1, end time is after the end of the video, 00:00:04; " +
        "give that time or an earlier one",
    ],
  ],
])(
  "an issue of %s is in words for a person: %j",
  async (name, values, facts, words) => {
    const capability = capabilityOf(name);
    const known = checkFiles(
      capability.fields,
      values,
      new Map([[FILE, facts]]),
    );
    const issues = mergeIssues(await validate(capability.name, values), known);
    expect(wordsOf(issues, capability)).toEqual(words);
  },
);

test("an issue with the model is in words for a person", () => {
  const capability = capabilityOf("omni_reference_to_video");
  const issues = checkModel(
    capability.fields,
    { duration_seconds: 5 },
    { model_id: "short", generation_options: { duration_seconds: [1, 2, 3] } },
  );
  expect(wordsOf(issues, capability)).toEqual([
    "Duration (seconds) must be 1 to 3 for this model",
  ]);
});
