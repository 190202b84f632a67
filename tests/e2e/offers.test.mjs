// A gateway that offers some capabilities, and an extension.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, WIDE } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite({
  flags: ["--task-seconds", "0.1", "--extensions"],
  settings: { CAPABILITIES: "text_to_image, text_to_video, merge_pdf" },
});

test("the page shows what the gateway offers, and a link to another form says that it does not", async (t) => {
  const playground = await open(t, "split_pdf", { viewport: WIDE });
  const { page } = playground;
  await page.getByText("This gateway does not offer this.").waitFor();
  assert.equal(await page.locator(".form").count(), 0);
  await eventually(
    () => page.locator(".capabilities li a").allInnerTexts(),
    ["Text to image", "Text to video extension", "Merge PDFs"],
  );
  assert.equal(await page.locator(".tiles a").count(), 3);
  // The gateway lacks a step of each ready-made pipeline.
  assert.equal(await page.locator(".capabilities li button").count(), 0);
  await playground.press("Find a capability");
  const found = page.getByRole("dialog").locator("li");
  await eventually(() => found.count(), 3);
  const search = page.getByRole("dialog").getByRole("searchbox");
  await search.fill("split");
  await page.getByText("Nothing has these words.").waitFor();
  // Otherwise, Escape would clear it instead.
  await search.fill("");
  await playground.closeDialog();
  await playground.go("text_to_video");
  await page.getByText("An extension:").waitFor();
  await playground.make({ prompt: "slow push in", duration_seconds: 1 });
  assert.deepEqual(playground.pageErrors, []);
});
