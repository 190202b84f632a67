// What is wrong with a request, in the words of the form.
import { type Issue, validate } from "mediagate";
import { describeIssue } from "mediagate/words";
import { expect, test } from "vitest";
import type { Capability, Field } from "../src/catalogue";
import { knownIssues } from "../src/form/checks";
import type { Facts } from "../src/form/checks/facts";
import { merged } from "../src/form/checks/issue";
import { checkModel } from "../src/form/checks/model";
import type { Values } from "../src/storage";
import { capabilityOf } from "./capability";

const FILE = new File(["x"], "a");
const SIZE = { width: 640, height: 360 };
const PAGES = { pages: 5 };
const LENGTH = { duration: 3.6 };
const FRAME = { size: { width: 400, height: 300 } };
const VIDEO = { size: SIZE };

const part = (start_time: string, end_time: string) => ({
  segments: [{ start_time, end_time }],
});
const region = (x: number, y: number, width: number, height: number) => ({
  region: { x, y, width, height },
});
const sides = (width?: number, height?: number) => ({ width, height });
/** The medium of the file that a field is about, except a video. */
const MEDIA: Record<string, string> = { page_range: "pdf", region: "image" };
/** Returns a row for each range of pages with the same issues. */
const pageRanges = (texts: string[], ...issues: string[]) =>
  texts.map((page_range): [Values, Facts, string[]] => [
    { page_range },
    PAGES,
    issues,
  ]);

test.each<[Values, Facts, issues: string[]]>([
  ...pageRanges(["", "1-5", "5,1,1-2", " 1 - 2 , 5 ", "1,,2"]),
  ...pageRanges(["4-", "last", "1-2,odd"]),
  ...pageRanges(["6", "4-6", "1,99", "0", "0-2"], "error page_range"),
  ...pageRanges(["-", ",", "9".repeat(20)], "error page_range"),
  ...pageRanges(["3-1"], "warning page_range"),
  [{ page_range: "99" }, {}, []],

  [part("00:00:00", "00:00:04"), LENGTH, []],
  [part("00:00:00", "00:00:05"), LENGTH, ["error segments[0].end_time"]],
  [part("00:00:04", "00:00:09"), LENGTH, ["error segments[0].start_time"]],
  [part("", "x"), LENGTH, []],
  [part("00:00:04", "00:00:09"), {}, []],

  [region(0, 0, 400, 300), FRAME, []],
  [region(300, 0, 101, 10), FRAME, ["warning region"]],
  [region(-5, 0, 10, 10), FRAME, ["warning region"]],
  [region(400, 0, 5, 5), FRAME, ["error region"]],
  [region(0, 300, 5, 5), FRAME, ["error region"]],
  [region(-5, 0, 5, 5), FRAME, ["error region"]],
  [{ region: { x: 900 } }, FRAME, []],
  [region(900, 900, 5, 5), {}, []],

  [sides(320, 180), VIDEO, []],
  [sides(1280, 720), VIDEO, []],
  [sides(426, 240), VIDEO, []],
  [sides(100), VIDEO, []],
  [sides(Number.NaN, 2), VIDEO, []],
  [sides(321), VIDEO, ["warning width"]],
  [sides(320, 320), VIDEO, ["warning height"]],
  [
    sides(321, 321),
    VIDEO,
    ["warning width", "warning height", "warning height"],
  ],
  [sides(320, 320), {}, []],
  [{ video_size: [640, 360] }, VIDEO, []],
  [{ video_size: [640, 480] }, VIDEO, ["warning video_size"]],
])("%j with a file of %j", (values, facts, expected) => {
  const [name = ""] = Object.keys(values);
  const media = MEDIA[name] ?? "video";
  const fields = Object.keys(values).map((name) => ({
    name,
    kind: name in SIZE ? "integer" : name,
  }));
  const found = knownIssues(
    [{ name: "input", kind: "file", media }, ...fields] as Field[],
    { input: FILE, ...values },
    () => facts,
  );
  const texts = found.map(({ severity, path }) => `${severity} ${path}`);
  expect(texts).toEqual(expected);
});

/** Returns the words of the issues in the form of a capability. */
function wordsOf(issues: readonly Issue[], { fields }: Capability): string[] {
  return issues
    .map((issue) => describeIssue(issue, { fields }))
    .map(({ subject, text }) => `${subject} ${text}`);
}

test.each<[name: string, Values, Facts, words: string[]]>([
  [
    "split_video",
    { input_file_id: FILE, ...part("00:00:00", "00:00:05") },
    LENGTH,
    [
      "Parts to keep 1, end time is after the end of the video, 00:00:04; " +
        "give that time or an earlier one",
    ],
  ],
  [
    "split_pdf",
    { input_file_id: FILE, page_range: "1,7-9" },
    PAGES,
    ["Page range names page 9, but the last page of the PDF is 5"],
  ],
  [
    "split_pdf",
    { input_file_id: FILE, page_range: "2-1" },
    PAGES,
    [
      "Page range 2-1 goes backwards, which is an unusual range; " +
        "the media service may refuse it",
    ],
  ],
  [
    "background_removal",
    { file_id: FILE, ...region(500, 10, 10, 10) },
    FRAME,
    [
      "Region is outside of the picture, which is 400 × 300 pixels; " +
        "move it into the picture",
    ],
  ],
  [
    "resize_video",
    { input_file_id: FILE, ...sides(81, 80) },
    VIDEO,
    [
      "Width is odd, and videos have even sides: the result has 80 pixels",
      "Height does not have the shape of the video, 640 × 360, so it is stretched; " +
        "46 fits this width",
    ],
  ],
  [
    "split_pdf",
    { input_file_id: FILE, page_range: "1" },
    { problem: "damaged" },
    ["PDF cannot be read as a PDF. Choose another file."],
  ],
  [
    "background_removal",
    { file_id: FILE },
    { problem: "damaged" },
    ["Image cannot be shown by this browser, and may be damaged."],
  ],
])(
  "an issue of %s is in words for a person: %j",
  async (name, values, facts, words) => {
    const capability = capabilityOf(name);
    const known = knownIssues(capability.fields, values, () => facts);
    const issues = merged(await validate(capability.name, values), known);
    expect(wordsOf(issues, capability)).toEqual(words);
  },
);

test("files and numbers that a model does not take are refused, and other words are doubtful", () => {
  const capability = capabilityOf("omni_reference_to_video");
  const values = {
    video_file_ids: [FILE],
    duration_seconds: 5,
    aspect_ratio: "21:9",
    clarity: "",
  };
  const issues = checkModel(capability.fields, values, {
    model_id: "images-only",
    references: { media: ["image"] },
    generation_options: {
      duration_seconds: [1, 2, 3, 4],
      aspect_ratio: ["16:9", "1:1"],
      clarity: ["2K"],
    },
  });
  expect(wordsOf(issues, capability)).toEqual([
    "Videos does not suit this model, which takes images",
    "Aspect ratio is none of 16:9, 1:1; the media service may refuse it",
    "Duration (seconds) must be 1 to 4 for this model",
  ]);
});
