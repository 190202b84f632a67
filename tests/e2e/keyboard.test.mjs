// The keyboard: shortcuts, and the focus, which moves to the expected place and is never lost. Also
// the page's theme, its bar on a phone, and links to filled forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf } from "../support/fixtures.mjs";
import { eventually, file, focused, hasFocus, png } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const isInForm = (page) =>
  page.evaluate(() => document.activeElement?.closest("form") !== null);

test("the first Tab reaches a link to the form, and from there the next one is in it", async (t) => {
  const { page } = await open(t, "text_to_image");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "Skip to the form");
  const box = await page.locator(".skip").boundingBox();
  assert.ok(box.width > 50 && box.y >= 0, "it is in sight");
  await page.keyboard.press("Enter");
  await hasFocus(page, "Text to image");
  assert.match(page.url(), /#text_to_image$/);
  await page.keyboard.press("Tab");
  assert.ok(await isInForm(page));
});

for (const [
  name,
  viewport,
] of /** @type {[string, { width: number, height: number }][]} */ ([
  ["on a desktop", { width: 1280, height: 800 }],
  ["on a phone", { width: 390, height: 844 }],
])) {
  test(`a chosen capability has the focus on its heading ${name}`, async (t) => {
    const { page } = await open(t, "text_to_image", { viewport });
    for (const title of ["Split PDF", "Merge PDFs", "Merge PDFs"]) {
      if (viewport.width < 800) await page.locator(".opener").press("Enter");
      const link = { name: title, exact: true };
      await page.getByRole("navigation").getByRole("link", link).press("Enter");
      await hasFocus(page, `${title}`);
    }
    await page.keyboard.press("Tab");
    assert.ok(await isInForm(page));
    await page.goBack();
    await hasFocus(page, "Split PDF");
  });
}

test("the focus is not lost by Run, by Cancel and by the dialog", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.fillIn({ file_id: png(8, 8), prompt: "slow push in" });
  await page.route(/\/upload_urls$/, () => {});
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.press("Enter");
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await cancel.waitFor();
  assert.equal(await focused(page), "Starting…");
  await eventually(() => playground.count("POST", /upload_urls$/), 1);
  await cancel.press("Enter");
  const isFocused = (element) => element === document.activeElement;
  await eventually(() => run.evaluate(isFocused), true);
  assert.deepEqual(await playground.failure(), {
    code: "aborted",
    text: "Cancelled. No task was created.",
  });
  const failure = page.locator(".form .failure");
  assert.equal(await failure.getAttribute("role"), "status");
  assert.equal(await failure.locator(".icon").count(), 0);

  await playground.press("Show the code", page.locator(".form"));
  await page.locator("dialog pre").waitFor();
  await page.keyboard.press("Escape");
  await hasFocus(page, "Show the code");
});

test("the focus is not lost by the buttons of a task, and by those of a notice", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const press = (name) =>
    page.getByRole("button", { name }).first().press("Enter");
  await playground.fillIn({
    prompt: "paper boat",
    title: "emulate: seconds=30 slow=3000",
  });
  await playground.run();
  await playground.task.getByText("sending").waitFor();
  await page.locator(".task[data-task]").waitFor();
  await press(/^Stop watching/);
  await hasFocus(page, "emulate: seconds=30 slow=3000");
  await press(/^Watch .* again/);
  await hasFocus(page, "emulate: seconds=30 slow=3000");
  await press(/^Remove/);
  await hasFocus(page, "Tasks");

  await press("Reset");
  await page.locator(".notice").nth(1).waitFor();
  await page
    .locator(".notice")
    .first()
    .getByRole("button", { name: "Dismiss" })
    .focus();
  await page.keyboard.press("Enter");
  await hasFocus(page, "Dismiss");
  await page.keyboard.press("Enter");
  await hasFocus(page, "Reset");
});

test("the focus is not lost by moving and removing files", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  const files = await Promise.all(
    ["a.pdf", "b.pdf", "c.pdf"].map(async (name) =>
      file(name, "application/pdf", await pdf([201])),
    ),
  );
  await playground.choose("input_file_ids", ...files);
  await playground.press("Move c.pdf up");
  await hasFocus(page, "Move c.pdf up");
  await page.keyboard.press("Enter");
  await hasFocus(page, "Remove c.pdf");
  await page.keyboard.press("Enter");
  await hasFocus(page, "Remove a.pdf");
  await playground.press("Remove b.pdf");
  await hasFocus(page, "Remove a.pdf");
  await page.keyboard.press("Enter");
  await hasFocus(page, "input_file_ids");
});

test("the introduction gives the focus to the button that shows it again, and takes it from there", async (t) => {
  const { page } = await open(t, "text_to_image");
  await page
    .getByRole("button", { name: "Hide the introduction" })
    .press("Enter");
  await hasFocus(page, "About this page");
  await page.keyboard.press("Enter");
  await hasFocus(page, "Try what Mediagate can do");
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
  await finder.getByRole("searchbox").fill("trim");
  await keyboard.press("Enter");
  await playground.showsForm("Split video");
  await finder.waitFor({ state: "hidden" });
  await keyboard.press("/");
  await hasFocus(page, "Filter capabilities");
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
  assert.match(page.url(), /#text_to_image$/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await playground.click("Copy a link");
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
  for (const name of ["as the device", "light"])
    await page.getByRole("button", { name: `Colours: ${name}` }).press("Enter");
  assert.notEqual(await background(), light);
  await page.reload();
  assert.notEqual(await background(), light);
  for (const name of ["Form", "Tasks", "Run this form"])
    assert.ok(
      await page
        .getByRole("navigation", { name: "Parts of the page" })
        .getByRole("button", { name, exact: true })
        .isVisible(),
      name,
    );
});
