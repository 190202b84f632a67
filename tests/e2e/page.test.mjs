// The page itself: every capability, on every screen size, without a violation of its content
// security policy.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { suite } from "./suite.mjs";

const suited = suite();
const { open } = suited;

/** Runs in the page: returns the controls without an accessible name. */
const nameless = () =>
  [
    ...document.querySelectorAll(
      /** @type {"input"} */ ("input, textarea, select, button, a"),
    ),
  ]
    .filter(
      (element) =>
        !element.labels?.length &&
        !element.getAttribute("aria-label") &&
        !element.textContent.trim(),
    )
    .map((element) => element.outerHTML);

test("every capability is in the list, and each of its fields has a labelled control", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const titles = await page.locator(".capabilities li a").allInnerTexts();
  assert.deepEqual(
    titles.toSorted(),
    catalogue.capabilities.map((capability) => capability.title).toSorted(),
  );
  for (const capability of catalogue.capabilities) {
    await page
      .getByRole("navigation")
      .getByRole("link", { name: capability.title, exact: true })
      .click();
    await page
      .getByRole("heading", { level: 1, name: capability.title, exact: true })
      .waitFor();
    const more = page.locator(".more:not([open]) > summary");
    if (await more.count()) await more.click();
    const fields = await page
      .locator("[data-field]")
      .evaluateAll((rows) => rows.map((row) => row.dataset.field));
    assert.deepEqual(
      fields.toSorted(),
      capability.fields.map((field) => field.name).toSorted(),
      capability.name,
    );
    assert.deepEqual(await page.evaluate(nameless), [], capability.name);
  }
  assert.deepEqual(playground.pageErrors, []);
});

test("the filter finds a capability by its text, and says when none matches", async (t) => {
  const { page } = await open(t, "text_to_image");
  const links = page.locator(".capabilities li a");
  await page.getByLabel("Filter capabilities").fill("pdf");
  assert.deepEqual(await links.allInnerTexts(), ["Merge PDFs", "Split PDF"]);
  await page.getByLabel("Filter capabilities").fill("no such thing");
  await page.getByText("No capability matches.").waitFor();
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

for (const [
  name,
  viewport,
] of /** @type {[string, { width: number, height: number }][]} */ ([
  ["a phone", { width: 390, height: 844 }],
  ["a small phone", { width: 320, height: 640 }],
  ["a tablet", { width: 820, height: 1180 }],
  ["a desktop", { width: 1280, height: 800 }],
])) {
  test(`nothing is wider than ${name}`, async (t) => {
    const playground = await open(t, "text_to_image", { viewport });
    for (const { name: capability } of catalogue.capabilities) {
      await playground.go(capability);
      const width = await playground.page.evaluate(
        () => document.documentElement.scrollWidth,
      );
      assert.ok(width <= viewport.width, `${capability}: ${width}`);
    }
  });
}

test("typed text survives a visit to another capability", async (t) => {
  const playground = await open(t, "text_to_image");
  await playground.fill("prompt", "a lighthouse");
  await playground.go("merge_pdf");
  await playground.go("text_to_image");
  assert.equal(
    await playground.page.locator("textarea[name=prompt]").inputValue(),
    "a lighthouse",
  );
});

test("a file whose name changes with its content is cached for a year, and the page is not", async () => {
  const page = await fetch(suited.stack.url);
  const [, script] = (await page.text()).match(/src="(\/assets\/[^"]+\.js)"/);
  const read = async (headers) =>
    (await fetch(suited.stack.url + script, { headers })).headers;
  const headers = await read({});
  assert.equal(
    headers.get("cache-control"),
    "public, max-age=31536000, immutable",
  );
  assert.equal(
    (await read({ "if-none-match": headers.get("etag") })).get("cache-control"),
    headers.get("cache-control"),
  );
  assert.doesNotMatch(
    page.headers.get("cache-control"),
    /immutable|max-age=[1-9]/,
  );
  const missing = await fetch(`${suited.stack.url}/assets/no-such-file.js`);
  assert.doesNotMatch(missing.headers.get("cache-control") ?? "", /immutable/);
});

test("the page is served under a policy that allows no inline script or style", async () => {
  const response = await fetch(suited.stack.url);
  const policy = response.headers.get("content-security-policy");
  assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'/);
  assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'/);
});
