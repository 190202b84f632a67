// The words for errors, issues, fields and states.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import catalogue from "../dist/catalogue.json" with { type: "json" };
import { MediagateError } from "../dist/error.js";
import {
  asSentence,
  describeAddress,
  describeError,
  describeFailure,
  describeIssue,
  fieldLabel,
  formatBytes,
  formatCredits,
  formatDuration,
  formatPrice,
  formatTimeLeft,
  isIssue,
  isOfInput,
  stateWord,
  stepWord,
} from "../dist/words.js";
import { mediagate } from "./support/client.mjs";

const refusal = (members) =>
  new MediagateError({ code: "invalid_input", message: "no", ...members });

const fieldsOf = (wanted) =>
  catalogue.capabilities.find(({ name }) => name === wanted)?.fields;

test("each code has a heading of its own, and anything else has one, too", async () => {
  const source = await readFile(new URL("../src/error.ts", import.meta.url));
  const [table = ""] = String(source).split("export type ErrorCode");
  const codes = [...table.matchAll(/^ \* \| `(\w+)` \|/gm)];
  assert.ok(codes.length > 30);
  for (const [, code] of codes) {
    const { heading } = describeError({ code });
    assert.notEqual(heading, asSentence(code), code);
    assert.doesNotMatch(heading, /_/);
  }
  const headingOf = (error) => describeError(error).heading;
  assert.equal(headingOf({ code: "constructor" }), "Constructor");
  assert.equal(headingOf({ code: "too_cold" }), "Too cold");
  for (const other of [undefined, null, 7, {}, { code: 7 }])
    assert.equal(headingOf(other), "Unexpected error");
  assert.equal(describeError("no disk").message, "No disk.");
  const failed = Object.assign(new Error("no such file"), { code: "ENOENT" });
  assert.equal(describeError(failed).message, "No such file.");
  const { reason } = AbortSignal.abort();
  assert.equal(describeError(reason).code, "aborted");
});

test("the words of an error have no cause and no query of a URL, and can be described again", () => {
  const secret = "s3cret";
  const error = refusal({
    code: "rate_limit",
    appCode: 16,
    requestId: "r1",
    message:
      `see https://jo:${secret}@a.test/b?key=${secret}#${secret} ` +
      `and /c?d=${secret}`,
    hint: secret,
    idempotencyKey: secret,
    details: { secret },
    cause: new Error(secret),
  });
  const words = describeError(error);
  assert.deepEqual(words, {
    code: "rate_limit",
    heading: "Too many requests",
    message: "See https://a.test/b and /c.",
    remedy: "Wait a minute, then try again.",
    appCode: 16,
    requestId: "r1",
    unknown: undefined,
    facts: "rate_limit · code 16 · request r1",
  });
  assert.deepEqual(describeError(structuredClone(words)), words);
});

test("a message that repeats the heading is left out, and a remedy that is in the message", () => {
  const partsOf = ({ message = "", remedy = "" }) => [
    message !== "",
    remedy !== "",
  ];
  const said = (members) => partsOf(describeError(refusal(members)));
  const credits = { code: "insufficient_credits", appCode: 1401 };
  assert.deepEqual(said({ ...credits, message: "insufficient credits" }), [
    false,
    true,
  ]);
  assert.deepEqual(said({ ...credits, message: "" }), [false, true]);
  assert.deepEqual(said({ ...credits, message: "too few; ask for more" }), [
    true,
    false,
  ]);
  assert.deepEqual(said({ appCode: 12, message: "a; b" }), [true, true]);
  assert.deepEqual(
    said({ reason: "content_refused", appCode: 12, message: "No; none" }),
    [true, true],
  );
  assert.deepEqual(said({ code: "upstream_credentials", appCode: 13 }), [
    false,
    true,
  ]);
});

test("a reason of the gateway has words if it says more than the code", () => {
  const described = (reason, members = {}) => {
    const { code, message } = describeError(refusal({ reason, ...members }));
    return [code, message];
  };
  assert.deepEqual(described("no_uploads"), ["no_uploads", undefined]);
  assert.deepEqual(described("slow_body"), ["invalid_input", "No."]);
  assert.deepEqual(described("constructor"), ["invalid_input", "No."]);
  assert.deepEqual(described("unknown_task"), ["unknown_task", "No."]);
  assert.deepEqual(
    described("unknown_task", { message: "image_file_ids[1]: no" }),
    ["unusable_result", "Its task is gone, or belongs to another session."],
  );
  assert.deepEqual(described("input_unavailable"), [
    "unusable_address",
    "It was not found at its address. Check the address, or choose a file.",
  ]);
  assert.match(describeAddress("file_too_large"), /^is empty at its address/);
  assert.equal(describeAddress("scope"), undefined);
});

test("a conflict is described as one, and not as a wrong form", () => {
  for (const [reason, heading] of [
    ["idempotency_key_reused", "This was already sent, with other values"],
    ["task_running", "The task has not ended yet"],
    ["pipeline_running", "The pipeline still runs"],
  ]) {
    const words = describeError(refusal({ reason, status: 409 }));
    assert.deepEqual(
      [words.code, words.heading, words.message],
      [reason, heading, undefined],
    );
    assert.ok(words.remedy);
  }
});

test("a remedy speaks of no marked field, which an error without issues has not", () => {
  assert.equal(
    describeError(refusal({})).remedy,
    "Correct it, then run it again.",
  );
});

test("a failure of the input is told from one that a retry may repair", () => {
  const failed = (error) => {
    const words = describeFailure({ state: "FAILED", error });
    assert.ok(words);
    return [words.code, isOfInput(words)];
  };
  assert.deepEqual(failed({ code: 12 }), ["invalid_input", true]);
  assert.deepEqual(failed({ code: "1402" }), ["asset_category_mismatch", true]);
  assert.deepEqual(failed({ code: "asset_expired" }), ["asset_expired", true]);
  assert.deepEqual(failed({ reason: "content_refused" }), [
    "content_refused",
    true,
  ]);
  for (const code of [undefined, 99, 1404, "provider_timeout", "constructor"])
    assert.deepEqual(failed({ code }), ["task_failed", false]);
  assert.equal(isOfInput(describeError(refusal({}))), true);
  assert.equal(isOfInput({ code: "network" }), false);
});

test("an unknown outcome is the gateway's only if its ledger has recorded it", () => {
  const unknown = (members) =>
    describeError(refusal({ outcome: "unknown", ...members }));
  const recorded = unknown({ reason: "outcome_unknown" });
  assert.equal(recorded.unknown, "outcome_unknown");
  assert.equal(recorded.message, undefined);
  assert.match(recorded.remedy, /The gateway does not know either/);
  const lost = unknown({
    reason: "outcome_unknown",
    details: { cause: "ledger" },
  });
  assert.equal(lost.unknown, "response_lost");
  assert.equal(unknown({}).unknown, "response_lost");
  assert.equal(lost.heading, "It is unknown whether a task was created");
  assert.equal(
    describeError(refusal({ outcome: "rejected" })).unknown,
    undefined,
  );
});

test("an app has its own words, also for codes of its own", () => {
  const words = {
    timeout: { remedy: "Wait." },
    too_old: { heading: "This is too old" },
  };
  const partsOf = ({ heading, remedy = "" }) => ({ heading, remedy });
  assert.deepEqual(partsOf(describeError({ code: "timeout" }, words)), {
    heading: "That took too long",
    remedy: "Wait.",
  });
  const lost = refusal({ outcome: "unknown" });
  const old = { ...describeError(lost), unknown: "too_old" };
  assert.deepEqual(partsOf(describeError(old, words)), {
    heading: "This is too old",
    remedy: "",
  });
});

test("a task that failed or expired says why, as far as the media service does", () => {
  const described = (state, error) => {
    const { code, message } = describeFailure({ state, error }) ?? {};
    return [code, message];
  };
  assert.deepEqual(described("FAILED"), [
    "task_failed",
    "The media service gave no reason.",
  ]);
  assert.deepEqual(
    described("FAILED", { reason: "content_refused", message: "No faces" }),
    ["content_refused", "No faces."],
  );
  assert.deepEqual(described("EXPIRED", { reason: "old", message: "" }), [
    "task_expired",
    "It was not finished in time.",
  ]);
  for (const state of ["SUCCEEDED", "RUNNING", undefined])
    assert.equal(describeFailure({ state }), undefined);
});

for (const [capability, input, ...lines] of [
  [
    "image_to_video",
    { prompt: "  " },
    "Image is missing. Choose a file.",
    "Prompt is empty. Write it.",
  ],
  [
    "background_removal",
    { file_id: new File([], "empty") },
    "Image is an empty file. Choose another one.",
  ],
  [
    "omni_reference_to_video",
    { prompt: "they meet" },
    "Images no reference: give at least one of Images, Videos, Audio files",
  ],
  [
    "split_video",
    {
      input_file_id: "a",
      segments: [{ start_time: "00:00:09", end_time: "00:00:07" }],
    },
    "Parts to keep 1, end time is before start time; give a later time",
  ],
]) {
  test(`the issues of ${capability} are in the words of its form`, async () => {
    const fields = fieldsOf(capability);
    const issues = await mediagate.validate(capability, input);
    const described = issues.map((issue) => describeIssue(issue, { fields }));
    assert.deepEqual(
      described.map(({ subject, text }) => `${subject} ${text}`),
      lines,
    );
  });
}

test("an issue is described with other labels, without fields, and for the whole request", () => {
  const issue = {
    path: "segments[1].end_time",
    reason: "order",
    message: "is before start_time",
  };
  const label = ({ name }) => (name === "segments" ? "Parts" : undefined);
  const subjectOf = (path, options) =>
    describeIssue({ ...issue, path }, options).subject;
  assert.equal(subjectOf(issue.path, { label }), "Parts 2, end time");
  assert.equal(subjectOf("input_file_ids[0]", { label }), "File 1");
  assert.equal(subjectOf(""), "The request");
  assert.equal(subjectOf("constructor"), "Constructor");
  assert.equal(subjectOf("links.x", { fields: [] }), "links.x");
  assert.equal(describeIssue(issue).text, "is before start time");
  assert.equal(
    describeIssue(issue, { fields: [] }).text,
    "is before start time",
  );
  assert.ok(isIssue(issue));
  for (const wrong of [null, {}, { path: 7 }, { path: "a" }])
    assert.ok(!isIssue(/** @type {any} */ (wrong)));
});

test("labels say what a field is for", () => {
  /** @type {[import("../dist/words.js").FieldInfo, string][]} */
  const labels = [
    [{ name: "segments", kind: "segments" }, "Parts to keep"],
    [{ name: "audio_file_ids", kind: "files", media: "audio" }, "Audio files"],
    [{ name: "image_file_ids", kind: "files", media: "image" }, "Images"],
    [{ name: "source_image_file_id", media: "image" }, "Source image"],
    [{ name: "duration_seconds" }, "Duration (seconds)"],
    [{ name: "file_id", kind: "valueOf", media: "constructor" }, "File"],
  ];
  for (const [field, label] of labels) assert.equal(fieldLabel(field), label);
});

test("a state has a word, and one in another form is shown unchanged", () => {
  const words = ["SUCCEEDED", "IN_QUEUE", "constructor", "", undefined];
  assert.deepEqual(words.map(stateWord), [
    ...["Done", "In queue", "constructor", "Submitted", "Submitted"],
  ]);
  assert.deepEqual(["CANCELLED", "RUNNING", "valueOf"].map(stepWord), [
    ...["Not sent", "Running", "valueOf"],
  ]);
});

test("the words load no WebAssembly, and those that are not used are not in a bundle", async () => {
  const bundle = async (name) => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: `export { ${name} } from "./words.js"`,
        resolveDir: fileURLToPath(new URL("../dist", import.meta.url)),
      },
      bundle: true,
      format: "esm",
      metafile: true,
      write: false,
    });
    const text = outputFiles[0]?.text ?? "";
    return { text, inputs: Object.keys(metafile.inputs) };
  };
  const { text, inputs } = await bundle("describeError");
  assert.deepEqual(
    inputs.filter((path) => !/(stdin|error|words.*)(\.js)?>?$/.test(path)),
    [],
  );
  assert.match(text, /The model failed/);
  assert.doesNotMatch(text, /Choose one file or more/);
  const states = await bundle("stateWord");
  assert.doesNotMatch(states.text, /The model failed|Sending|MediagateError/);
});

test("amounts have the units that a person reads", () => {
  assert.equal(formatCredits(1), "1 credit");
  assert.equal(formatCredits(1234.567), "1,234.57 credits");
  assert.equal(formatCredits(2.5, true), "2.5 emulated credits");
  assert.equal(formatPrice({ credits: 4, per: "task" }), "4 credits");
  assert.equal(
    formatPrice({ credits: 10, per: "second" }),
    "10 credits per second",
  );

  /** @type {[number, string][]} */
  const sizes = [
    [0, "0 B"],
    [999, "999 B"],
    [1_250, "1.3 kB"],
    [25_000_000, "25 MB"],
    [1e13, "10000 GB"],
  ];
  for (const [size, text] of sizes) assert.equal(formatBytes(size), text);
});

test("times have the units that a person reads", () => {
  /** @type {[number, string][]} */
  const durations = [
    [-5, "0 s"],
    [4_400, "4 s"],
    [125_000, "2:05"],
    [3_725_000, "1:02:05"],
  ];
  for (const [time, text] of durations)
    assert.equal(formatDuration(time), text);

  /** @type {[number, string, string][]} */
  const left = [
    [9, "a few seconds", "a few seconds"],
    [26, "about 25 s", "about 25 seconds"],
    [61, "about 1 min", "about 1 minute"],
    [200, "about 3 min", "about 3 minutes"],
  ];
  for (const [seconds, short, spoken] of left) {
    assert.equal(formatTimeLeft(seconds), short);
    assert.equal(formatTimeLeft(seconds, "spoken"), spoken);
  }
});
