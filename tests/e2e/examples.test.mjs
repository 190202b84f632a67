// A person who sees the page for the first time gets a result with one click, in every form.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

test("the page opens on a form that needs no file, with tiles that lead to others", async (t) => {
  const playground = await open(t, "");
  const { page } = playground;
  assert.equal(await page.locator("h1").innerText(), "Text to image");
  const tiles = page.locator(".tiles a");
  assert.equal(await tiles.count(), 6);
  const isLoaded = (images) => images.every((image) => image.naturalWidth > 0);
  await eventually(() => tiles.locator("img").evaluateAll(isLoaded), true);
  await tiles.getByText("Merge PDFs").click();
  await playground.showsForm("Merge PDFs");
  assert.deepEqual(playground.pageErrors, []);
});

test("in every form, one click on an example gives a result, and only then loads its files", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  assert.equal(playground.count("GET", /lamp|ada|street|melody|report/), 0);
  const tasks = page.locator(".reach .count");
  for (const [index, { name }] of catalogue.capabilities.entries()) {
    await playground.go(name);
    await page.getByRole("button", { name: "Try an example" }).press("Enter");
    const refusals = page.locator(
      ".form :is(.issues li:not(.doubt), .failure)",
    );
    await tasks
      .getByText(String(index + 1), { exact: true })
      .or(refusals)
      .first()
      .waitFor({ state: "attached" });
    assert.deepEqual(await refusals.allInnerTexts(), [], name);
    await playground.reaches("SUCCEEDED");
  }
  assert.equal(playground.count("GET", /lamp-.*png$/), 2);
});
