// The keyboard: shortcuts, and the focus, which moves to the expected place and is never lost. Also
// the page's theme, its bar on a phone, and links to filled forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf } from "../support/fixtures.mjs";
import { eventually, file, hasFocus, png } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Waits until an element in the form has the focus. */
const hasFocusInForm = (page) => page.locator(".form:focus-within").waitFor();

test("the first Tab reaches a link to the form, and from there the next one is in it", async (t) => {
  const playground = await open(t, "text_to_image");
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
});

for (const [
  name,
  viewport,
] of /** @type {[string, { width: number, height: number }][]} */ ([
  ["on a desktop", { width: 1280, height: 800 }],
  ["on a phone", { width: 390, height: 844 }],
])) {
  test(`a chosen capability has the focus on its heading ${name}`, async (t) => {
    const playground = await open(t, "text_to_image", { viewport });
    const { page } = playground;
    for (const title of ["Split PDF", "Merge PDFs", "Merge PDFs"]) {
      if (viewport.width < 800) await page.locator(".opener").press("Enter");
      const link = { name: title, exact: true };
      await page.getByRole("navigation").getByRole("link", link).press("Enter");
      await playground.showsForm(title);
    }
    await page.keyboard.press("Tab");
    await hasFocusInForm(page);
    await page.goBack();
    await playground.showsForm("Split PDF");
  });
}

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
  assert.deepEqual(await playground.failure(), {
    code: "aborted",
    text: "Cancelled. No task was created.",
  });
  const failure = page.locator(".form .failure");
  assert.equal(await failure.getAttribute("role"), "status");
  assert.equal(await failure.locator(".icon").count(), 0);

  const showCode = page
    .locator(".form")
    .getByRole("button", { name: "Show the code" });
  await showCode.press("Enter");
  await page.locator("dialog pre").waitFor();
  await page.keyboard.press("Escape");
  await hasFocus(showCode);
});

test("the focus is not lost by the buttons of a task, and by those of a notice", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const title = "emulate: seconds=60";
  await playground.createTask(60);
  await playground.press(/^Stop watching/);
  await hasFocus(playground.taskHeading(title));
  await playground.press(/^Watch .* again/);
  await hasFocus(playground.taskHeading(title));
  await playground.press(`Remove ${title}`);
  await hasFocus(playground.tasksHeading);

  const reset = playground.button("Reset", { exact: true });
  const dismiss = (text) =>
    page
      .locator(".notice", { hasText: text })
      .getByRole("button", { name: "Dismiss" });
  await reset.press("Enter");
  await dismiss("Reset the form").waitFor();
  await dismiss("Removed").press("Enter");
  await hasFocus(dismiss("Reset the form"));
  await page.keyboard.press("Enter");
  await hasFocus(reset);
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

test("the introduction gives the focus to the button that shows it again, and takes it from there", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.press("Hide the introduction");
  await hasFocus(playground.button("About this page"));
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("heading", { name: /^Try what Mediagate/ }));
});

test("a form can be filled in and sent with the keyboard alone", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { keyboard } = playground.page;
  await playground.page.locator("textarea[name=prompt]").focus();
  await keyboard.type("a paper boat");
  for (const size of ["48", "32"]) {
    await keyboard.press("Tab");
    await keyboard.press("ControlOrMeta+A");
    await keyboard.type(size);
  }
  await keyboard.press("Enter");
  await playground.reaches("SUCCEEDED");
});

test("keys run the form, find capabilities and tasks, and search", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const { keyboard } = page;
  await playground.fillIn({ width: 64, height: 48, prompt: "a heron" });
  await keyboard.press("Control+Enter");
  await playground.reaches("SUCCEEDED");

  await keyboard.press("Control+k");
  const finder = page.getByRole("dialog", {
    name: "Find a capability or a task",
  });
  await finder.getByRole("searchbox").fill("heron");
  await finder.getByRole("button", { name: /Task · / }).waitFor();
  await keyboard.press("Enter");
  await finder.waitFor({ state: "hidden" });
  await hasFocus(playground.taskHeading("Text to image"));
  await page.locator(".task[data-open=true]").waitFor();

  await keyboard.press("Control+k");
  await finder.getByRole("searchbox").fill("trim");
  await keyboard.press("Enter");
  await finder.waitFor({ state: "hidden" });
  await playground.showsForm("Split video");
  await keyboard.press("/");
  await hasFocus(page.getByLabel("Filter capabilities"));
});

test("the cost is on the button before anything is uploaded, and beside each model", async (t) => {
  const playground = await open(t, "text_to_image");
  const run = playground.page.locator(".form button.primary");
  await eventually(() => run.innerText(), "Run\n· 4 credits");
  await playground.go("omni_reference_to_video");
  await eventually(() => run.innerText(), "Run\n· 10 credits per second");
  await playground.fill("duration_seconds", "3");
  await eventually(() => run.innerText(), "Run\n· 30 credits");
  await playground.go("image_to_video");
  await playground.showMore();
  await playground
    .field("model_id")
    .getByText("10 credits per second, plan starter")
    .waitFor();
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
  await playground.press("Copy a link");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${page.url()}?prompt=%22a+heron%22&width=64`);
});

test("a person chooses light or dark colours, and on a phone form, tasks and Run are in reach", async (t) => {
  const playground = await open(t, "text_to_image", {
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
  });
  const { page } = playground;
  const background = () =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const isDark = async () => (await background()) !== light;
  for (const name of ["as the device", "light"])
    await playground.press(`Colours: ${name}`);
  await eventually(isDark, true);
  await page.reload();
  await eventually(isDark, true);
  const bar = page.getByRole("navigation", { name: "Parts of the page" });
  for (const name of ["Form", "Tasks", "Run this form"])
    await bar.getByRole("button", { name, exact: true }).waitFor();
});
