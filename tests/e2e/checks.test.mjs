// Errors and doubts about a request with its files. They are shown before the request is sent, and
// cost nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lockedPdf, pdf, picture } from "../support/fixtures.mjs";
import { sourceModule } from "../support/source.mjs";
import { download, eventually, file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const field = (name, kind, media = undefined) => ({ name, kind, media });

/** Returns the issues of a form as `severity path`, for these facts about its file. */
async function issuesOf(fields, values, facts) {
  const { knownIssues } = await sourceModule("form/checks/index.ts");
  return knownIssues(fields, values, () => facts).map(
    (issue) => `${issue.severity} ${issue.path}`,
  );
}

test("pages are checked against the number of pages", async () => {
  const fields = [
    field("input_file_id", "file", "pdf"),
    field("page_range", "page_range"),
  ];
  const check = (range, facts = /** @type {object} */ ({ pages: 5 })) =>
    issuesOf(
      fields,
      { input_file_id: new File(["x"], "a.pdf"), page_range: range },
      facts,
    );
  for (const range of [
    "",
    "1-5",
    "5,1,1-2",
    " 1 - 2 , 5 ",
    "4-",
    "last",
    "1,,2",
    "1-2,odd",
  ]) {
    assert.deepEqual(await check(range), [], range);
  }
  for (const range of [
    "6",
    "4-6",
    "1,99",
    "0",
    "0-2",
    "-",
    ",",
    "99999999999999999999",
  ]) {
    assert.deepEqual(await check(range), ["error page_range"], range);
  }
  assert.deepEqual(await check("3-1"), ["warning page_range"]);
  assert.deepEqual(await check("99", {}), []);
});

test("parts of a video are checked against its length", async () => {
  const fields = [
    field("input_file_id", "file", "video"),
    field("segments", "segments"),
  ];
  const check = (
    start_time,
    end_time,
    facts = /** @type {object} */ ({ duration: 3.6 }),
  ) =>
    issuesOf(
      fields,
      {
        input_file_id: new File(["x"], "a.mp4"),
        segments: [{ start_time, end_time }],
      },
      facts,
    );
  assert.deepEqual(await check("00:00:00", "00:00:04"), []);
  assert.deepEqual(await check("00:00:00", "00:00:05"), [
    "error segments[0].end_time",
  ]);
  assert.deepEqual(await check("00:00:04", "00:00:09"), [
    "error segments[0].start_time",
  ]);
  assert.deepEqual(await check("", "x"), []);
  assert.deepEqual(await check("00:00:04", "00:00:09", {}), []);
});

test("a region is checked against its picture", async () => {
  const fields = [field("file_id", "file", "image"), field("region", "region")];
  const check = (
    region,
    facts = /** @type {object} */ ({ size: { width: 400, height: 300 } }),
  ) => issuesOf(fields, { file_id: new File(["x"], "a.png"), region }, facts);
  const region = (x, y, width, height) => ({ x, y, width, height });
  assert.deepEqual(await check(region(0, 0, 400, 300)), []);
  assert.deepEqual(await check(region(300, 0, 101, 10)), ["warning region"]);
  assert.deepEqual(await check(region(-5, 0, 10, 10)), ["warning region"]);
  for (const wrong of [
    region(400, 0, 5, 5),
    region(0, 300, 5, 5),
    region(-5, 0, 5, 5),
  ]) {
    assert.deepEqual(await check(wrong), ["error region"]);
  }
  assert.deepEqual(await check({ x: 900 }), []);
  assert.deepEqual(await check(region(900, 900, 5, 5), {}), []);
});

test("sizes are checked against the video's", async () => {
  const size = { width: 640, height: 360 };
  const input = { input_file_id: new File(["x"], "a.mp4") };
  const resize = [
    field("input_file_id", "file", "video"),
    field("width", "integer"),
    field("height", "integer"),
  ];
  const check = (width, height, facts = /** @type {object} */ ({ size })) =>
    issuesOf(resize, { ...input, width, height }, facts);
  for (const [width, height] of [
    [320, 180],
    [1280, 720],
    [426, 240],
    [100, undefined],
    [Number.NaN, 2],
  ]) {
    assert.deepEqual(await check(width, height), [], `${width} × ${height}`);
  }
  assert.deepEqual(await check(321, undefined), ["warning width"]);
  assert.deepEqual(await check(320, 320), ["warning height"]);
  assert.deepEqual(await check(321, 321), [
    "warning width",
    "warning height",
    "warning height",
  ]);
  assert.deepEqual(await check(320, 320, {}), []);

  const hint = [
    field("input_file_id", "file", "video"),
    field("video_size", "video_size"),
  ];
  assert.deepEqual(
    await issuesOf(hint, { ...input, video_size: [640, 360] }, { size }),
    [],
  );
  assert.deepEqual(
    await issuesOf(hint, { ...input, video_size: [640, 480] }, { size }),
    ["warning video_size"],
  );
});

const issues = (playground, name) =>
  playground.field(name).locator(".issues li").allInnerTexts();

test("a page past the end is marked while it is typed, and no request is sent", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    file("two.pdf", "application/pdf", await pdf([201, 202])),
  );
  await playground.fill("page_range", "1,7-9");
  await eventually(
    () => issues(playground, "page_range"),
    ["Page range names page 9, but the last page of the PDF is 2"],
  );
  const sent = playground.requests.length;
  await playground.run();
  await playground.page.getByText("1 error to correct").waitFor();
  await eventually(
    () =>
      playground.page.evaluate(() =>
        document.activeElement?.getAttribute("name"),
      ),
    "page_range",
  );
  assert.deepEqual(
    playground.requests
      .slice(sent)
      .filter((request) => request.method === "POST"),
    [],
  );
  await playground.fill("page_range", "2-1");
  await eventually(
    () => issues(playground, "page_range"),
    [
      "Page range 2-1 goes backwards, which is an unusual range; the media service may refuse it",
    ],
  );
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(playground.pageErrors, []);
});

test("a request is checked right before it is sent against a file that is chosen last", async (t) => {
  const playground = await open(t, "background_removal");
  await playground.page.getByLabel("x", { exact: true }).fill("500");
  for (const side of ["y", "width", "height"])
    await playground.page.getByLabel(side, { exact: true }).fill("10");
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(40, 30)),
  );
  await playground.run();
  await eventually(
    () => issues(playground, "region"),
    [
      "Region is outside of the picture, which is 40 × 30 pixels; move it into the picture",
    ],
  );
  assert.equal(
    await playground.page
      .getByLabel("x", { exact: true })
      .getAttribute("aria-invalid"),
    "true",
  );
  assert.equal(playground.count("POST", /background_removal/), 0);
});

test("times and sizes are checked against the video", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 90)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "2");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const clip = file(
    "clip.mp4",
    "video/mp4",
    await download((await playground.results())[0]),
  );

  await playground.go("split_video");
  await playground.choose("input_file_id", clip);
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:09");
  await eventually(
    () => page.locator(".range").getAttribute("data-following"),
    "false",
  );
  await eventually(
    () => issues(playground, "segments"),
    [
      "Parts to keep 1, end time is after the end of the video, 00:00:02; " +
        "give that time or an earlier one",
    ],
  );

  await playground.go("resize_video");
  await playground.choose("input_file_id", clip);
  await playground.fill("width", "81");
  await playground.fill("height", "80");
  await eventually(
    () => issues(playground, "width"),
    ["Width is odd, and videos have even sides: the result has 80 pixels"],
  );
  await eventually(
    async () =>
      (await issues(playground, "height")).map((text) =>
        /so it is stretched; 46 fits this width/.test(text),
      ),
    [true],
  );
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(playground.pageErrors, []);
});

test("a file that is damaged or has a password is reported before it is uploaded", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  const damaged = file("b.pdf", "application/pdf", Buffer.from("%PDF-1.7 no"));
  const issues = (name) => playground.field(name).locator(".issues li");
  await playground.choose(
    "input_file_ids",
    file("a.pdf", "application/pdf", await pdf([201])),
    damaged,
    file("c.pdf", "application/pdf", lockedPdf()),
  );
  const refusals = [
    "PDFs 2 cannot be read as a PDF. Choose another file.",
    "PDFs 3 has a password. Remove the password, or choose another file.",
  ];
  await eventually(() => issues("input_file_ids").allInnerTexts(), refusals);
  await playground.run();
  await page.getByText("2 errors to correct").waitFor();
  assert.equal(await page.getByRole("button", { name: /again/ }).count(), 0);
  await playground.go("background_removal");
  const broken = picture(8, 8).subarray(0, 40);
  await playground.choose("file_id", file("a.png", "image/png", broken));
  await eventually(
    () => issues("file_id").allInnerTexts(),
    ["Image cannot be shown by this browser, and may be damaged."],
  );
  assert.equal(playground.count("POST", /upload_urls$/), 0);
});
