// The page's keyboard shortcuts, its theme, its bar on a phone, a link to a filled form, and the
// cost on the button.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

test("keys run the form, find capabilities and tasks, and search", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const { keyboard } = page;
  await playground.fill("width", "64");
  await playground.fill("height", "48");
  await playground.fill("prompt", "a heron");
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
  await eventually(() => focused(page), "Filter capabilities");
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
  await page.getByRole("button", { name: "Copy a link" }).click();
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
