// The page's statements about itself: its purpose, what is emulated, the cost of a run, and errors
// in plain words.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { picture } from "../support/fixtures.mjs";
import { forward } from "../support/forward.mjs";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const LAPTOP = { viewport: { width: 1280, height: 800 } };
const MODELS = /\/api\/app\/v1\/models$/;
const ESTIMATE = /\/credits\/estimate$/;

/** Responds with the models in the media service's form. */
const asMediaService = async (route) => {
  const response = await forward(route);
  const body = await response.json();
  delete body.data.emulated;
  await route.fulfill({ response, json: body });
};

async function runPicture(playground, title = "") {
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "64");
  await playground.fill("height", "48");
  if (title) await playground.fill("title", title);
  await playground.run();
}

test("the page says that an emulator does the work, and so does each result, also after a reload", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page
    .locator("[data-worker=emulator]")
    .getByText("Results are drawn or barely processed")
    .waitFor();
  await runPicture(playground);
  await playground.reaches("SUCCEEDED");
  const made = playground.task.locator(".result .made");
  assert.equal(
    (await made.innerText()).trim(),
    "Made by the emulator: drawn, no model ran",
  );
  await page.reload();
  await made.waitFor();
});

test("without an emulator, the page says that tasks may cost credits", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.route(MODELS, asMediaService);
  await page.reload();
  await page
    .getByText("Results are real. Each task may cost credits")
    .waitFor();
  assert.equal(await page.locator("[data-worker=emulator]").count(), 0);
});

test("the introduction leaves room for the form, is dismissed for good, and can be read again", async (t) => {
  const playground = await open(t, "text_to_image", LAPTOP);
  const { page } = playground;
  const introduction = page.getByRole("complementary", {
    name: "Try what Mediagate can do",
  });
  const words = (await introduction.innerText()).split(/\s+/).length;
  assert.ok(words <= 90, `${words} words`);
  assert.ok(
    (await playground.field("prompt").locator("textarea").boundingBox()).y <
      700,
  );
  await introduction.getByText("How this page works").click();
  await introduction.getByText("session token").waitFor();
  const [link] = await introduction
    .locator("dl a")
    .evaluateAll((links) => links.map((link) => link.href));
  const { info } = await (await fetch(link)).json();
  assert.ok(info.title, "the link leads to the OpenAPI document");

  await introduction
    .getByRole("button", { name: "Hide the introduction" })
    .click();
  await page.reload();
  await playground.connected();
  assert.equal(await introduction.count(), 0);
  await page.getByRole("button", { name: "About this page" }).click();
  await introduction.waitFor();
});

test("a run's cost is estimated only on request, and hidden once the form has changed", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  const estimate = page.getByRole("button", { name: /^Estimate the cost/ });
  const result = page.locator(".estimating [role=status]");
  await page.locator("[data-worker=emulator]").waitFor();
  await estimate.press("Enter");
  await page.getByText("Fill in the form first.").waitFor();
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(64, 48)),
  );
  await playground.fill("prompt", "slow push in");
  assert.equal(
    await estimate.innerText(),
    "Estimate the cost (uploads the file)",
  );
  assert.equal(playground.count("PUT", /./), 0);
  assert.equal(playground.count("POST", ESTIMATE), 0);

  await playground.frames();
  await estimate.press("Enter");
  await page
    .getByText(/^About \d+ emulated credits\. Nothing is charged\.$/)
    .waitFor();
  assert.equal(await estimate.innerText(), "Estimate the cost");
  assert.equal(playground.count("POST", ESTIMATE), 1);
  await playground.fill("prompt", "slow push out");
  await page.waitForFunction(
    () =>
      document.querySelector(".estimating [role=status]").textContent === "",
  );
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.equal(
    playground.count("PUT", /./),
    1,
    "the run uploads nothing again",
  );
  assert.equal(await result.innerText(), "");
});

test("a gateway that estimates nothing offers no estimate after the first one", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const refusal = {
    code: 12,
    message: "invalid input: there is nothing at this path",
    data: { reason: "unknown_path" },
  };
  await page.route(ESTIMATE, (route) =>
    route.fulfill({ status: 404, json: refusal }),
  );
  await playground.fill("prompt", "a lighthouse");
  const estimate = page.getByRole("button", { name: "Estimate the cost" });
  // Typing ends an earlier estimate in the next frame.
  await playground.frames();
  await estimate.press("Enter");
  await estimate.waitFor({ state: "detached" });
  await page.waitForFunction(() =>
    document.activeElement?.matches(".form [type=submit]"),
  );
});

test("a cancelled request shows no alarm", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(64, 48)),
  );
  await playground.fill("prompt", "slow push in");
  await page.route(/\/upload_urls$/, () => {});
  await playground.run();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  assert.deepEqual(await playground.failure(), {
    code: "aborted",
    text: "Cancelled. No task was created.",
  });
  assert.equal(
    await page.locator(".form .failure").getAttribute("role"),
    "status",
  );
  assert.equal(await page.locator(".form .failure .icon").count(), 0);
});

test("if the gateway's key was refused, the page says who can fix that", async (t) => {
  const playground = await open(t, "text_to_image");
  await runPicture(playground, "emulate: code=13");
  const { code, text } = await playground.failure();
  assert.equal(code, "upstream_credentials");
  assert.match(text, /The media service refused this gateway's key/);
  assert.match(text, /Only the operator of this gateway can fix this/);
});

test("the search finds a capability by each of its everyday words", async (t) => {
  const { page } = await open(t, "text_to_image");
  // In the catalogue of a package without such words, the search works as before.
  const words = catalogue.capabilities.flatMap(({ title, keywords = [] }) =>
    keywords.map((keyword) => [keyword, title]),
  );
  for (const [word, title] of words) {
    await page.getByLabel("Filter capabilities").fill(word);
    assert.ok(
      (await page.locator(".capabilities li a").allInnerTexts()).includes(
        title,
      ),
      `${word}: ${title}`,
    );
  }
});

test("the title of a task takes three lines, however long it is", async (t) => {
  const playground = await open(t, "text_to_image", LAPTOP);
  const title = "a very long title ".repeat(20).trim();
  await runPicture(playground, title);
  await playground.reaches("SUCCEEDED");
  const { height } = await playground.task.locator("h3").boundingBox();
  assert.ok(height < 80, `${height} pixels`);
  assert.equal(
    await playground.task.locator("h3 button").getAttribute("title"),
    title,
  );
});

test("a state with an unexpected word is shown unchanged", async (t) => {
  const playground = await open(t, "text_to_image");
  await runPicture(playground, "emulate: state=constructor seconds=6");
  await playground.task
    .locator("header .facts")
    .getByText(/: constructor$/)
    .waitFor();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(playground.pageErrors, []);
});
