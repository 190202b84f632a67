// The rules of mediagate/forms, for the fields of the catalogue.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import catalogue from "../dist/catalogue.json" with { type: "json" };
import {
  capabilitySections,
  checkFiles,
  checkModel,
  convertVolume,
  defaultValues,
  fieldsFor,
  filesToInspect,
  filledValues,
  formatTime,
  formatVolume,
  isEmulated,
  isOffered,
  mergeIssues,
  modelFor,
  modelsFor,
  offeredAssets,
  offeredValues,
  outputKind,
  pagesIn,
  parseTime,
  parseVolume,
  planOf,
  priceFor,
  priceOf,
  sortFiles,
  sourceField,
  tidyPages,
  togglePage,
} from "../dist/forms.js";
import { describeIssue } from "../dist/words.js";

const FILE = new Blob(["x"]);
const PAGES = { pages: 5 };
const LENGTH = { duration: 3.6 };
const FRAME = { width: 400, height: 300 };
const VIDEO = { width: 640, height: 360 };

/** @returns {import("../dist/forms.js").FormCapability} */
function capabilityOf(name) {
  const found = catalogue.capabilities.find((entry) => entry.name === name);
  assert.ok(found, name);
  return found;
}

const fieldsOf = (name) => capabilityOf(name).fields;

/** @returns {import("../dist/forms.js").FormField} */
function fieldOf(name, field) {
  const found = fieldsOf(name).find((entry) => entry.name === field);
  assert.ok(found, field);
  return found;
}

const ofPdf = { name: "split_pdf", file: "input_file_id" };
const ofVideo = { name: "split_video", file: "input_file_id" };
const ofPicture = { name: "background_removal", file: "file_id" };
const ofFrame = { name: "subtitle_removal", file: "file_id" };
const ofSize = { name: "resize_video", file: "input_file_id" };
const ofOwnSize = { name: "video_logo_removal", file: "input_video_file_id" };

const part = (start_time, end_time) => ({
  segments: [{ start_time, end_time }],
});
const region = (x, y, width, height) => ({ region: { x, y, width, height } });
const sides = (width, height) => ({ width, height });

/** @typedef {typeof ofPdf} Named */
/** @typedef {import("../dist/forms.js").FileFacts} Facts */

/**
 * @param {Named} capability
 * @param {object} values
 * @param {Facts} facts
 * @param {unknown} [chosen]
 */
function found({ name, file }, values, facts, chosen = FILE) {
  const input = { [file]: chosen, ...values };
  return checkFiles(fieldsOf(name), input, new Map([[FILE, facts]]));
}

test("pages, parts, regions and sizes are compared with the file", () => {
  /** @returns {[Named, object, Facts, string[]][]} */
  const pageRanges = (texts, ...issues) =>
    texts.map((page_range) => [ofPdf, { page_range }, PAGES, issues]);
  /** @type {[Named, object, Facts, string[]][]} */
  const rows = [
    ...pageRanges(["", "1-5", "5,1,1-2", " 1 - 2 , 5 ", "1,,2"]),
    ...pageRanges(["4-", "last", "1-2,odd"]),
    ...pageRanges(["6", "4-6", "1,99", "0", "0-2"], "error page_range"),
    ...pageRanges(["-", ",", "9".repeat(20)], "error page_range"),
    ...pageRanges(["3-1"], "warning page_range"),
    [ofPdf, { page_range: "99" }, {}, []],

    [ofVideo, part("00:00:00", "00:00:04"), LENGTH, []],
    [
      ofVideo,
      part("00:00:00", "00:00:05"),
      LENGTH,
      ["error segments[0].end_time"],
    ],
    [
      ofVideo,
      part("00:00:04", "00:00:09"),
      LENGTH,
      ["error segments[0].start_time"],
    ],
    [ofVideo, part("", "x"), LENGTH, []],
    [ofVideo, part("00:00:04", "00:00:09"), {}, []],

    [ofPicture, region(0, 0, 400, 300), FRAME, []],
    [ofPicture, region(300, 0, 101, 10), FRAME, ["warning region"]],
    [ofPicture, region(-5, 0, 10, 10), FRAME, ["warning region"]],
    [ofPicture, region(400, 0, 5, 5), FRAME, ["error region"]],
    [ofPicture, region(0, 300, 5, 5), FRAME, ["error region"]],
    [ofPicture, region(-5, 0, 5, 5), FRAME, ["error region"]],
    [ofFrame, region(400, 0, 5, 5), FRAME, ["error region"]],
    [ofPicture, region(900, 0, 0, 5), FRAME, []],
    [ofPicture, { region: { x: 900 } }, FRAME, []],
    [ofPicture, { region: null }, FRAME, []],
    [ofPicture, region(900, 900, 5, 5), {}, []],

    [ofSize, sides(320, 180), VIDEO, []],
    [ofSize, sides(1280, 720), VIDEO, []],
    [ofSize, sides(426, 240), VIDEO, []],
    [ofSize, sides(100), VIDEO, []],
    [ofSize, sides(Number.NaN, 2), VIDEO, []],
    [ofSize, sides(321), VIDEO, ["warning width"]],
    [ofSize, sides(320, 320), VIDEO, ["warning height"]],
    [
      ofSize,
      sides(321, 321),
      VIDEO,
      ["warning width", "warning height", "warning height"],
    ],
    [ofSize, sides(320, 320), {}, []],
    [ofOwnSize, { video_size: [640, 360] }, VIDEO, []],
    [ofOwnSize, { video_size: [640, 480] }, VIDEO, ["warning video_size"]],
  ];
  for (const [capability, values, facts, expected] of rows) {
    const issues = found(capability, values, facts).map(
      ({ severity, path }) => `${severity} ${path}`,
    );
    assert.deepEqual(issues, expected, JSON.stringify([values, facts]));
  }
});

test("an issue says what is wrong and how to repair it", () => {
  /** @type {[Named, object, Facts, string[]][]} */
  const rows = [
    [
      ofVideo,
      part("00:00:00", "00:00:05"),
      LENGTH,
      [
        "is after the end of the video, 00:00:04; give that time or an earlier one",
      ],
    ],
    [
      ofPdf,
      { page_range: "1,7-9" },
      PAGES,
      ["names page 9, but the last page of the PDF is 5"],
    ],
    [
      ofPdf,
      { page_range: "2-1" },
      PAGES,
      [
        "2-1 goes backwards, which is an unusual range; the media service may refuse it",
      ],
    ],
    [
      ofPicture,
      region(500, 10, 10, 10),
      FRAME,
      [
        "is outside of the picture, which is 400 × 300 pixels; move it into the picture",
      ],
    ],
    [
      ofSize,
      sides(81, 80),
      VIDEO,
      [
        "is odd, and videos have even sides: the result has 80 pixels",
        "does not have the shape of the video, 640 × 360, so it is stretched; 46 fits this width",
      ],
    ],
    [
      ofPdf,
      { page_range: "1" },
      { problem: "damaged" },
      ["cannot be read as a PDF. Choose another file."],
    ],
    [
      ofPdf,
      {},
      { problem: "locked" },
      ["has a password. Remove the password, or choose another file."],
    ],
    [
      ofPicture,
      {},
      { problem: "damaged" },
      [
        "cannot be shown by this browser, and may be damaged. Check it, or choose another file.",
      ],
    ],
  ];
  for (const [capability, values, facts, expected] of rows) {
    const messages = found(capability, values, facts).map(
      ({ message }) => message,
    );
    assert.deepEqual(messages, expected);
  }
});

test("a file that no program reads is refused by name, and one that others may read is doubtful", () => {
  const cut = "is cut off or damaged. Choose the complete file.";
  const hidden =
    "cannot be shown by this browser. If the media service refuses it, too, convert it to";
  /** @type {[Named, Facts, string, string?][]} */
  const rows = [
    [ofVideo, {}, "error “a_b.x” is an empty file. Choose another one.", ""],
    [ofVideo, { problem: "cut", duration: 6 }, `error “a_b.x” ${cut}`],
    [ofVideo, { problem: "not_shown" }, `warning “a_b.x” ${hidden} an MP4.`],
    [ofPicture, { problem: "cut" }, `warning “a_b.x” ${cut}`],
    [
      ofPicture,
      { problem: "not_shown" },
      `warning “a_b.x” ${hidden} a JPEG or PNG.`,
    ],
    [
      ofPicture,
      { width: 12_000, height: 9_000 },
      "warning “a_b.x” has 12,000 × 9,000 pixels, which may be too many for the media service. " +
        "Make it smaller.",
    ],
    [
      { name: "adjust_audio_volume", file: "input_file_id" },
      { problem: "cut" },
      `warning “a_b.x” ${cut}`,
    ],
  ];
  for (const [{ name, file }, facts, expected, content = "x"] of rows) {
    const chosen = new File([content], "a_b.x");
    const known = new Map([[chosen, facts]]);
    const issues = checkFiles(fieldsOf(name), { [file]: chosen }, known);
    assert.deepEqual(
      issues.map(({ severity, message }) => `${severity} ${message}`),
      [expected],
    );
    // The words of a form keep the name.
    for (const issue of issues)
      assert.match(
        describeIssue(issue, { fields: fieldsOf(name) }).text,
        /^“a_b.x” /,
      );
  }
  const largest = { width: 8_192, height: 8_192 };
  assert.deepEqual(found(ofPicture, {}, largest), []);
});

test("only chosen files are compared and inspected, each once", () => {
  const outside = region(900, 0, 10, 10);
  const output = { taskId: "t", output: 0 };
  assert.deepEqual(found(ofPicture, outside, FRAME, output), []);
  assert.deepEqual(found(ofPicture, outside, FRAME, "id"), []);

  const files = (name, input) => filesToInspect(fieldsOf(name), input);
  const [a, b] = [new Blob(["a"]), new Blob(["b"])];
  assert.deepEqual(files("background_removal", { file_id: a }), [
    { file: a, kind: "image" },
  ]);
  assert.deepEqual(files("resize_video", { input_file_id: a }), [
    { file: a, kind: "video" },
  ]);
  assert.deepEqual(files("merge_pdf", { input_file_ids: [a, "id", b, a] }), [
    { file: a, kind: "pdf" },
    { file: b, kind: "pdf" },
  ]);
  assert.deepEqual(files("adjust_audio_volume", { input_file_id: a }), [
    { file: a, kind: "audio" },
  ]);
  assert.deepEqual(files("background_removal", { file_id: output }), []);
  const damaged = new Map([[b, /** @type {const} */ ({ problem: "damaged" })]]);
  const [issue] = checkFiles(
    fieldsOf("merge_pdf"),
    { input_file_ids: [a, b] },
    damaged,
  );
  assert.equal(issue?.path, "input_file_ids[1]");
});

test("a value is about the file of another field", () => {
  const source = (name, field) =>
    sourceField(fieldOf(name, field), fieldsOf(name))?.name;
  assert.equal(source("video_logo_removal", "video_size"), ofOwnSize.file);
  assert.equal(source("split_pdf", "page_range"), "input_file_id");
  assert.equal(source("resize_video", "width"), undefined);
});

test("files and numbers that a model does not take are refused, and other words are doubtful", () => {
  const fields = fieldsOf("omni_reference_to_video");
  const input = {
    video_file_ids: [FILE],
    image_file_ids: [],
    duration_seconds: 5,
    aspect_ratio: "21:9",
  };
  /** @type {(model: object, values?: object) => string[]} */
  const messages = (model, values = input) =>
    checkModel(fields, values, { model_id: "m", ...model }).map(
      ({ severity, path, message }) => `${severity} ${path} ${message}`,
    );
  const options = {
    duration_seconds: [1, 2, 3, 4],
    aspect_ratio: ["16:9", "1:1"],
  };
  const outside = [
    "warning aspect_ratio is none of 16:9, 1:1; the media service may refuse it",
    "error duration_seconds must be a whole number from 1 to 4 for this model",
  ];
  assert.deepEqual(
    messages({ generation_options: options, references: { media: ["image"] } }),
    [
      "error video_file_ids does not suit this model, which takes images",
      ...outside,
    ],
  );
  assert.deepEqual(messages({ values: options }), outside);
  assert.deepEqual(
    messages({ references: { media: ["Images", "VIDEO"] } }),
    [],
  );
  assert.deepEqual(messages({ references: { media: ["scent"] } }), []);

  const seconds = (taken, duration_seconds) =>
    messages(
      { generation_options: { duration_seconds: taken } },
      { duration_seconds },
    );
  assert.equal(seconds([4, 8], 5).length, 1);
  assert.deepEqual(seconds(["5"], 5), []);
  assert.deepEqual(seconds(["5 s"], 5), []);
  assert.deepEqual(seconds([], 5), []);
  assert.deepEqual(seconds([4], Number.NaN), []);
});

test("a free text and the documented default pass with every model", () => {
  const taken = { prompt: ["a"], resolution: ["1080p"] };
  const issues = (values) =>
    checkModel(fieldsOf("image_audio_driven"), values, {
      model_id: "m",
      generation_options: taken,
    }).map(({ path }) => path);
  assert.deepEqual(issues({ prompt: "b", resolution: "720p" }), []);
  assert.deepEqual(issues({ resolution: "480p" }), ["resolution"]);
});

test("the pages of a range are in its order", () => {
  assert.deepEqual(pagesIn("5,1,1 - 2, last,3-1"), [5, 1, 1, 2, 3, 2, 1]);
  assert.equal(pagesIn("1-99999999999999999999,1-9").length, 10_000);
});

test("a page is added to a range or removed, and the rest stays", () => {
  /** @type {[string, number, string][]} */
  const rows = [
    ["", 3, "3"],
    ["5", 2, "5,2"],
    ["5,1", 2, "5,1-2"],
    ["5,1-3", 2, "5,1,3"],
    ["5-1", 3, "5-4,2-1"],
    ["1,5,1-2", 1, "5,2"],
    ["4-, last,2", 2, "4-,last"],
    ["3-1", 4, "3-1,4"],
  ];
  for (const [text, page, expected] of rows)
    assert.equal(togglePage(text, page), expected, `${text} with ${page}`);
});

test("a range is tidied only if it has nothing but pages", () => {
  assert.equal(tidyPages(" 1 - 2, 5 "), "1-2,5");
  assert.equal(tidyPages("1 - 2, last"), "1 - 2, last");
});

test("a time has two digits in each part", () => {
  assert.equal(parseTime("01:02:03"), 3723);
  assert.equal(formatTime(3723.9), "01:02:03");
  for (const text of ["", "1:02:03", "00:60:00", "00:00:00.5"])
    assert.equal(parseTime(text), undefined, text);
});

test("the types list the kinds of the catalogue's fields", async () => {
  const source = String(
    await readFile(new URL("../src/forms/catalogue.ts", import.meta.url)),
  );
  const [, type = ""] = /type FieldKind =([^;]+);/.exec(source) ?? [];
  const listed = [...type.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
  const used = catalogue.capabilities.flatMap(({ fields }) =>
    fields.map(({ kind }) => kind),
  );
  assert.deepEqual(new Set(listed), new Set(used));
});

test("a search finds a capability by its title and by each of its everyday words", () => {
  const titles = (query) =>
    capabilitySections(catalogue.capabilities, query).flatMap((section) =>
      section.capabilities.map(({ title }) => title),
    );
  assert.deepEqual(titles("pdf"), ["Merge PDFs", "Split PDF"]);
  assert.deepEqual(titles("no such thing"), []);
  for (const { title, keywords } of catalogue.capabilities)
    for (const word of keywords) assert.ok(titles(word).includes(title), word);
  assert.deepEqual(
    capabilitySections(catalogue.capabilities).map(({ heading }) => heading),
    [
      "Generate image",
      "Generate video",
      "Process video",
      "Process image",
      "Process PDF",
      "Process audio",
    ],
  );
});

test("a result fits the fields for its kind, and an asset each field for assets", () => {
  const targets = (kind) =>
    fieldsFor(catalogue.capabilities, kind).map(
      ({ capability, field }) => `${capability.name}.${field.name}`,
    );
  assert.deepEqual(targets("pdf"), [
    "merge_pdf.input_file_ids",
    "split_pdf.input_file_id",
  ]);
  assert.ok(targets("asset").includes("text_driven.voice_asset_id"));
  assert.deepEqual(targets(undefined), []);
  assert.deepEqual(targets("text"), []);
  assert.equal(outputKind({ medium: "asset" }), "pdf");
  assert.equal(outputKind({ medium: "video" }), "video");
});

const VIDEO_MODEL = {
  capability: "omni_reference_to_video",
  price: { credits: 10, per: "second" },
};
const SMALL = {
  ...VIDEO_MODEL,
  model_id: "small",
  generation_options: { clarity: ["2K"] },
};
const LARGE = { ...VIDEO_MODEL, model_id: "large", required_plan: "starter" };
const DEAR = {
  capability: "text_to_image",
  model_id: "dear",
  price: { credits: 4, per: "task" },
};
/** @type {any} */
const MODELS = {
  models: [SMALL, LARGE, DEAR],
  assets: [
    { asset_id: "avatar_1", category: "avatar", title: "Mira" },
    {
      asset_id: "avatar_2",
      category: "avatar",
      preview_url: "javascript:alert(1)",
    },
    {
      asset_id: "voice_1",
      category: "voice",
      preview_url: "https://voices.example/1.png",
    },
    { asset_id: "any_1" },
    { asset_id: "any_1", title: "Any" },
    { title: "no id" },
    "x",
    null,
  ],
};
const OMNI = capabilityOf("omni_reference_to_video");

test("a model serves the capability that it names, or that documents it", () => {
  const image = capabilityOf("text_to_image");
  const own = { model_id: image.documentedModel ?? "" };
  const found = modelsFor(image, { models: [own, SMALL, DEAR] });
  assert.deepEqual(found, [own, DEAR]);
  assert.equal(modelFor(image, MODELS, {}), DEAR);
  assert.equal(modelFor(OMNI, MODELS, {}), undefined);
  assert.equal(modelFor(OMNI, MODELS, { model_id: "small" }), SMALL);
  assert.deepEqual(modelsFor(OMNI, undefined), []);
  assert.deepEqual(modelsFor(OMNI, JSON.parse('{"models":"none"}')), []);
});

test("a price is known if all models that a create may get have the same", () => {
  const image = capabilityOf("text_to_image");
  assert.deepEqual(priceFor(image, MODELS, {}), { credits: 4, per: "task" });
  assert.equal(priceFor(image, MODELS, { model_id: "other" }), undefined);
  assert.deepEqual(priceFor(OMNI, MODELS, {}), { credits: 10, per: "second" });
  assert.deepEqual(priceFor(OMNI, MODELS, { duration_seconds: 3 }), {
    credits: 30,
    per: "task",
  });
  const priced = (price) => ({ ...VIDEO_MODEL, model_id: "other", price });
  for (const price of [undefined, { credits: 4, per: "task" }, { credits: 4 }])
    assert.equal(
      priceFor(OMNI, { models: [SMALL, priced(price)] }, {}),
      undefined,
    );
  assert.equal(priceOf(priced({ credits: "4", per: "task" })), undefined);
  assert.equal(planOf(LARGE), "starter");
  assert.equal(planOf({ ...LARGE, required_plan: "free" }), undefined);
});

test("the values of a field are those of the chosen model, or else the documented ones", () => {
  const offered = (name, model_id = "") =>
    offeredValues(fieldOf(OMNI.name, name), OMNI, MODELS, { model_id });
  assert.deepEqual(offered("model_id"), ["small", "large"]);
  assert.deepEqual(offered("clarity", "small"), ["2K"]);
  const { values } = fieldOf(OMNI.name, "clarity");
  assert.deepEqual(offered("clarity", "large"), values);
  assert.deepEqual(offered("clarity"), values);
});

test("the values of a field are those that the limits of the session allow", () => {
  const length = { model_id: "long", capability: OMNI.name };
  const models = [
    ...MODELS.models,
    { ...length, generation_options: { duration_seconds: [5, 10] } },
  ];
  const offered = (name, limits, model_id = "") =>
    offeredValues(
      fieldOf(OMNI.name, name),
      OMNI,
      { models },
      { model_id },
      { capabilities: [], limits },
    );
  assert.deepEqual(offered("model_id", { models: ["large"] }), ["large"]);
  assert.deepEqual(
    offered("duration_seconds", { max_seconds: 5 }, "long"),
    [5],
  );
  const clarities = ["2k", "720P"];
  assert.deepEqual(offered("clarity", { clarities }, "small"), ["2K"]);
  assert.deepEqual(offered("clarity", { clarities }), clarities);
  const others = { max_pixels: 1, max_prompt_chars: 1 };
  assert.deepEqual(offered("clarity", others, "small"), ["2K"]);
});

test("assets are listed once, by category, with web pictures only", () => {
  const assets = (name) =>
    offeredAssets(fieldOf("text_driven", name), MODELS).map(
      ({ id, title, preview }) => [id, title ?? preview],
    );
  assert.deepEqual(assets("avatar_asset_id"), [
    ["avatar_1", "Mira"],
    ["avatar_2", undefined],
    ["any_1", "Any"],
  ]);
  assert.deepEqual(assets("voice_asset_id"), [
    ["voice_1", "https://voices.example/1.png"],
    ["any_1", "Any"],
  ]);
});

test("a gateway without a list offers what the document has", () => {
  const image = { name: "text_to_image", extension: false };
  const extension = { name: "upscale_image", extension: true };
  assert.equal(isOffered(image, undefined), true);
  assert.equal(isOffered(extension, undefined), false);
  /** @type {import("../dist/index.js").Offers} */
  const offers = {
    capabilities: [
      {
        capability: "text_to_image",
        is_extension: false,
        models: [{ model_id: "emulator", values: {} }],
      },
    ],
  };
  assert.equal(isOffered(image, offers), true);
  assert.equal(isEmulated(image, offers), true);
  assert.equal(isEmulated(image, undefined), false);
  assert.equal(
    isOffered({ name: "split_pdf", extension: false }, offers),
    false,
  );
});

test("a form begins with copies of the documented defaults, and a neutral volume", () => {
  const fields = fieldsOf("split_video");
  const values = defaultValues(fields);
  const { default: documented } = fieldOf("split_video", "segments");
  assert.deepEqual(values.segments, documented);
  assert.notEqual(values.segments, documented);
  const { volume, ...others } = defaultValues(fieldsOf("adjust_audio_volume"));
  assert.equal(volume, "1");
  assert.deepEqual(others, {});
});

test("blank values and a region without an area are left out", () => {
  const region = { x: 0, y: 0, width: 0, height: 0 };
  const texts = { title: "", prompt_text: " \t\u00a0\u3000\n" };
  const blank = { region, ...texts, seed: undefined, file_ids: [] };
  const filled = { prompt: " a ", width: 0, seconds: Number.NaN };
  assert.deepEqual(filledValues({ ...blank, ...filled }), filled);
});

test("files go into the first free field that takes them, or else into a list", () => {
  const file = (type) => new Blob(["x"], { type });
  const [image, other, unknown] = [
    file("image/png"),
    file("image/jpeg"),
    file(""),
  ];
  const text = file("text/plain");
  const sorted = (name, values, files) => {
    const { groups, others } = sortFiles(fieldsOf(name), values, files);
    const named = [...groups].map(([field, group]) => [field.name, group]);
    return [...named, ...others];
  };
  assert.deepEqual(sorted("omni_reference_to_video", {}, [image, other]), [
    ["image_file_ids", [image, other]],
  ]);
  assert.deepEqual(sorted("split_pdf", {}, [image, unknown, text]), [
    ["input_file_id", [unknown]],
    image,
    text,
  ]);
  const taken = { prompt_image_file_id: image };
  assert.deepEqual(sorted("image_audio_driven", taken, [other]), [
    ["prompt_image_file_id", [other]],
  ]);
});

test("a known issue replaces the validator's, unless it only warns of an error", () => {
  /** @returns {import("../dist/forms.js").Issue} */
  const issue = (path, severity, reason) =>
    /** @type {any} */ ({ path, severity, reason, message: "" });
  const of = (severity, known) =>
    mergeIssues(
      [issue("a", severity, "old"), issue("b", "error", "other")],
      [issue("a", known, "new")],
    ).map(({ reason }) => reason);
  assert.deepEqual(of("error", "error"), ["other", "new"]);
  assert.deepEqual(of("warning", "warning"), ["other", "new"]);
  assert.deepEqual(of("error", "warning"), ["old", "other", "new"]);
});

/** @returns {import("../dist/forms.js").Volume} */
function volumeOf(text) {
  const volume = parseVolume(text);
  assert.ok(volume, text);
  return volume;
}

test("a volume is converted on the steps of the scales, and back", () => {
  const decibels = (text) =>
    formatVolume(convertVolume(volumeOf(text), "decibels"));
  const times = (text) => formatVolume(convertVolume(volumeOf(text), "times"));
  for (const [one, other] of [
    ["1", "0dB"],
    ["2", "6dB"],
    ["0.5", "-6dB"],
    ["0.1", "-20dB"],
    ["0", "-100dB"],
  ]) {
    assert.equal(decibels(one), other);
    assert.equal(times(other), one);
  }
  // No step is near.
  assert.equal(times("-30dB"), "0.032");
  assert.equal(times("+3dB"), "1.4");
  assert.equal(times(" .37 "), "0.37");
});

test("a text of another form is no volume", () => {
  for (const text of ["", "loud", "-1", "1.2.3", "6 dB", "6db", "."])
    assert.equal(parseVolume(text), undefined, text);
});
