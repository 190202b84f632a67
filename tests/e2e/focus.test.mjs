// The keyboard: the focus moves to the expected place, and is never lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf, picture } from "../support/fixtures.mjs";
import { eventually, file, WASM } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Returns the tag and the name of the element with the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const { localName, textContent, ariaLabel } = document.activeElement;
    return `${localName} ${ariaLabel ?? textContent.trim()}`;
  });

const isInForm = (page) =>
  page.evaluate(() => document.activeElement?.closest("form") !== null);

test("the first Tab reaches a link to the form, and from there the next one is in it", async (t) => {
  const { page } = await open(t, "text_to_image");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "a Skip to the form");
  const box = await page.locator(".skip").boundingBox();
  assert.ok(box.width > 50 && box.y >= 0, "it is in sight");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "h1 Text to image");
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
      await eventually(() => focused(page), `h1 ${title}`);
    }
    await page.keyboard.press("Tab");
    assert.ok(await isInForm(page));
    await page.goBack();
    await eventually(() => focused(page), "h1 Split PDF");
  });
}

test("the focus is not lost by Run, by Cancel and by the dialog", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose("file_id", file("a.png", "image/png", picture(8, 8)));
  await playground.fill("prompt", "slow push in");
  await page.route(/\/upload_urls$/, () => {});
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.press("Enter");
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await cancel.waitFor();
  assert.equal(await focused(page), "button Starting…");
  await eventually(() => playground.count("POST", /upload_urls$/), 1);
  await cancel.press("Enter");
  const hasFocus = (element) => element === document.activeElement;
  await eventually(() => run.evaluate(hasFocus), true);
  await page.locator(".form .failure").waitFor();

  await page
    .locator(".form")
    .getByRole("button", { name: "Show the code" })
    .press("Enter");
  await page.locator("dialog pre").waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => focused(page), "button Show the code");
});

test("the focus is not lost by the buttons of a task, and by those of a notice", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const press = (name) =>
    page.getByRole("button", { name }).first().press("Enter");
  await playground.fill("prompt", "a paper boat");
  await playground.fill("title", "emulate: seconds=30 slow=3000");
  await playground.run();
  await playground.task.getByText("sending").waitFor();
  await page.locator(".task[data-task]").waitFor();
  await press(/^Stop watching/);
  await eventually(() => focused(page), "button emulate: seconds=30 slow=3000");
  await press(/^Watch .* again/);
  await eventually(() => focused(page), "button emulate: seconds=30 slow=3000");
  await press(/^Remove/);
  await eventually(() => focused(page), "h2 Tasks");

  await press("Reset");
  await page.locator(".notice").nth(1).waitFor();
  await page
    .locator(".notice")
    .first()
    .getByRole("button", { name: "Dismiss" })
    .focus();
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "button Dismiss");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "button Reset");
});

test("the focus is not lost by cancelling an upload in the list", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose("file_id", file("a.png", "image/png", picture(8, 8)));
  await playground.fill("prompt", "slow push in");
  await page.route(/\/upload_urls$/, () => {});
  await playground.run();
  await playground.task.getByRole("button", { name: /^Cancel/ }).press("Enter");
  await eventually(() => focused(page), "h2 Tasks");
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
  await page.getByRole("button", { name: "Move c.pdf up" }).press("Enter");
  await eventually(() => focused(page), "button Move c.pdf up");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "button Remove c.pdf");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "button Remove a.pdf");
  await page.getByRole("button", { name: "Remove b.pdf" }).press("Enter");
  await eventually(() => focused(page), "button Remove a.pdf");
  await page.keyboard.press("Enter");
  await eventually(
    () => page.evaluate(() => document.activeElement?.getAttribute("name")),
    "input_file_ids",
  );
});

test("the focus is not lost by connecting again", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.route(WASM, (route) => route.abort());
  await page.reload();
  const again = page.getByRole("button", { name: "Connect again" });
  await again.press("Enter");
  await eventually(() => focused(page), "button Connect again");
  await page.unroute(WASM);
  await again.press("Enter");
  await playground.connected();
  await eventually(() => focused(page), "h1 Text to image");
});

test("the introduction gives the focus to the button that shows it again, and takes it from there", async (t) => {
  const { page } = await open(t, "text_to_image");
  await page
    .getByRole("button", { name: "Hide the introduction" })
    .press("Enter");
  await eventually(() => focused(page), "button About this page");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), "h2 Try what Mediagate can do");
});

test("a result that is used in another form has the focus on its heading", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "64");
  await playground.fill("height", "48");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await page.getByText("Use in…").press("Enter");
  await page
    .locator(".use")
    .getByRole("button", { name: "Remove background" })
    .press("Enter");
  await eventually(() => focused(page), "h1 Remove background");
});
