// The keyboard: shortcuts, and the focus, which moves to the expected place and is never lost. Also
// the page's theme, its bar on a phone, and links to filled forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf } from "../support/fixtures.mjs";
import { eventually, file, hasFocus, png } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** The width from which the capabilities have a column of their own. */
const WIDE = { viewport: { width: 1440, height: 900 } };

/** Waits until an element in the form has the focus. */
const hasFocusInForm = (page) => page.locator(".form:focus-within").waitFor();

/** Chooses forms in the list, which `openList` opens, and asserts where the focus is. */
async function choosesForms(playground, openList) {
  const { page } = playground;
  for (const name of ["Split PDF", "Merge PDFs", "Merge PDFs"]) {
    await openList();
    await page
      .getByRole("navigation")
      .getByRole("link", { name, exact: true })
      .press("Enter");
    await playground.showsForm(name);
  }
  await page.keyboard.press("Tab");
  await hasFocusInForm(page);
  await page.goBack();
  await playground.showsForm("Split PDF");
}

test("the first Tab reaches a link to the form, and a chosen form has the focus on its heading", async (t) => {
  const playground = await open(t, "text_to_image", WIDE);
  const { page } = playground;
  const skip = page.getByRole("link", { name: "Skip to the form" });
  await page.keyboard.press("Tab");
  await hasFocus(skip);
  const box = await skip.boundingBox();
  assert.ok(box.width > 50 && box.y >= 0, "it is in sight");
  await page.keyboard.press("Enter");
  await playground.showsForm("Text to image");
  assert.match(page.url(), /#text_to_image$/);
  await page.keyboard.press("Tab");
  await hasFocusInForm(page);
  await choosesForms(playground, () => undefined);
});

test("on a phone, a chosen form has the focus, its parts are in reach, and chosen colours stay", async (t) => {
  const playground = await open(t, "text_to_image", {
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
  });
  const { page } = playground;
  await choosesForms(playground, () => page.locator(".opener").press("Enter"));
  const bar = page.getByRole("navigation", { name: "Parts of the page" });
  for (const name of ["Form", "Results", "Run this form"])
    await bar.getByRole("button", { name, exact: true }).waitFor();

  const background = () =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const isDark = async () => (await background()) !== light;
  for (const name of ["as the device", "light"])
    await playground.press(`Colours: ${name}`);
  await eventually(isDark, true);
  await page.reload();
  await eventually(isDark, true);
});

test("the focus is not lost by Run, by Cancel and by the dialog", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.fillIn({ file_id: png(8, 8), prompt: "slow push in" });
  await page.route(/\/upload_urls$/, () => {});
  await playground.run();
  const cancel = playground.button("Cancel", { exact: true });
  await cancel.waitFor();
  await hasFocus(playground.button("Starting…"));
  await eventually(() => playground.count("POST", /upload_urls$/), 1);
  await cancel.press("Enter");
  await hasFocus(playground.button("Run", { exact: true }));
  const form = page.locator(".form");
  assert.deepEqual(await playground.failure(form), {
    code: "aborted",
    text: "Cancelled. No task was created.",
  });
  const failure = form.locator(".failure");
  assert.equal(await failure.getAttribute("role"), "status");
  assert.equal(await failure.locator(".icon").count(), 0);

  await playground.moreOfForm("Show the code");
  await page.locator("dialog pre").waitFor();
  await page.keyboard.press("Escape");
  await hasFocus(playground.button("More for this form"));
});

test("the focus is not lost by the buttons of a task, and by those of a notice", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const title = "emulate: seconds=60";
  const heading = playground.stage.getByRole("heading", { name: title });
  await playground.createTask(60);
  await playground.press(/^Stop watching/);
  await hasFocus(heading);
  await playground.press(/^Watch .* again/);
  await hasFocus(heading);
  await playground.press(`Remove ${title}`);
  await hasFocus(playground.stageHeading);

  const dismiss = (text) =>
    page
      .locator(".notice", { hasText: text })
      .getByRole("button", { name: "Dismiss" });
  await playground.moreOfForm("Reset");
  await dismiss("Reset the form").waitFor();
  await dismiss("Removed").press("Enter");
  await hasFocus(dismiss("Reset the form"));
  await page.keyboard.press("Enter");
  await hasFocus(playground.button("More for this form"));
});

test("the focus is not lost by moving and removing files", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  const files = await Promise.all(
    ["a.pdf", "b.pdf", "c.pdf"].map(async (name) =>
      file(name, "application/pdf", await pdf([201])),
    ),
  );
  const moveUp = playground.button("Move c.pdf up");
  const remove = (name) => playground.button(`Remove ${name}`);
  await playground.choose("input_file_ids", ...files);
  await moveUp.press("Enter");
  await playground.has("input_file_ids", "a.pdf", "c.pdf", "b.pdf");
  await hasFocus(moveUp);
  await page.keyboard.press("Enter");
  await hasFocus(remove("c.pdf"));
  await page.keyboard.press("Enter");
  await hasFocus(remove("a.pdf"));
  await remove("b.pdf").press("Enter");
  await hasFocus(remove("a.pdf"));
  await page.keyboard.press("Enter");
  await hasFocus(
    playground.field("input_file_ids").locator("input[type=file]"),
  );
});

test("a form is filled in and sent by keys alone, and keys find capabilities and tasks, and search", async (t) => {
  const playground = await open(t, "text_to_image", {
    viewport: { width: 1440, height: 500 },
  });
  const { page } = playground;
  const { keyboard } = page;
  const prompt = page.locator("textarea[name=prompt]");
  await prompt.focus();
  const actions = await page.locator(".actions").boundingBox();
  const { y, height } = await prompt.boundingBox();
  assert.ok(y + height <= actions.y, "the actions cover the focused field");
  await keyboard.type("a heron");
  for (const size of ["64", "48"]) {
    await keyboard.press("Tab");
    await keyboard.press("ControlOrMeta+A");
    await keyboard.type(size);
  }
  await keyboard.press("Enter");
  await playground.reaches("SUCCEEDED");
  await playground.fill("prompt", "a boat");
  await keyboard.press("Control+Enter");
  await eventually(() => page.locator(".task").count(), 2);
  await playground.reaches("SUCCEEDED");

  await keyboard.press("Control+k");
  const finder = page.getByRole("dialog", {
    name: "Find a capability or a task",
  });
  await finder.getByRole("searchbox").fill("heron");
  await finder.getByRole("button", { name: /Task · / }).waitFor();
  await keyboard.press("Enter");
  await finder.waitFor({ state: "hidden" });
  await hasFocus(playground.stage.getByRole("heading", { level: 2 }));
  await playground.stage.getByText("a heron").waitFor();

  await keyboard.press("Control+k");
  await finder.getByRole("searchbox").fill("trim");
  await keyboard.press("Enter");
  await finder.waitFor({ state: "hidden" });
  await playground.showsForm("Split video");
  await keyboard.press("/");
  await hasFocus(page.getByLabel("Filter capabilities"));
});

test("a link opens a form filled in, and has no file", async (t) => {
  const playground = await open(
    t,
    "text_to_image?prompt=%22a+heron%22&width=64",
  );
  const { page } = playground;
  const prompt = page.locator("textarea[name=prompt]");
  await eventually(() => prompt.inputValue(), "a heron");
  assert.equal(await page.locator("input[name=width]").inputValue(), "64");
  await page.waitForURL(/#text_to_image$/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await playground.moreOfForm("Copy a link");
  await page.getByText("Copied the link").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${page.url()}?prompt=%22a+heron%22&width=64`);
});
