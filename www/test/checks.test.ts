// Issues of a request, in the words of the form.
import { type Issue, validate } from "mediagate";
import { checkFiles, checkModel, mergeIssues } from "mediagate/forms";
import { describeIssue } from "mediagate/words";
import { expect, test } from "vitest";
import type { Field } from "../src/catalogue";
import { capabilityOf } from "./capability";

const FILE = new File(["x"], "a");

/** Returns the words of the issues in a form with these fields. */
function wordsOf(issues: readonly Issue[], fields: readonly Field[]): string[] {
  return issues
    .map((issue) => describeIssue(issue, { fields }))
    .map(({ subject, text }) => `${subject} ${text}`);
}

test("an issue with a file is in words for a person", async () => {
  const { name, fields } = capabilityOf("split_video");
  const segments = [{ start_time: "00:00:00", end_time: "00:00:05" }];
  const values = { input_file_id: FILE, segments };
  const facts = new Map([[FILE, { duration: 3.6 }]]);
  const known = checkFiles(fields, values, facts);
  const issues = mergeIssues(await validate(name, values), known);
  expect(wordsOf(issues, fields)).toEqual([
    "Parts to keep 1, end time is after the end of the video, 00:00:04; " +
      "give that time or an earlier one",
  ]);
});

test("an issue with the model is in words for a person", () => {
  const { fields } = capabilityOf("omni_reference_to_video");
  const issues = checkModel(
    fields,
    { duration_seconds: 5 },
    { model_id: "short", generation_options: { duration_seconds: [1, 2, 3] } },
  );
  expect(wordsOf(issues, fields)).toEqual([
    "Duration (seconds) must be a whole number from 1 to 3 for this model",
  ]);
});
