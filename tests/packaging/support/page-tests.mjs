// Runs tests that are written in a page, each as a subtest.
import assert from "node:assert/strict";
import { test } from "node:test";

/**
 * Firefox's own message about a stream that breaks, which it prints although the rejection is
 * handled.
 */
const BY_FIREFOX = /Failed to read data from the ReadableStream/;

/**
 * Opens a page of the fixture `plain`, and runs the tests in it.
 *
 * @param {ReturnType<typeof import("./suite.mjs").suite>} suited
 * @param {string} name
 * @param {string} path of the page
 */
export const pageTests = (suited, name, path) =>
  test(name, async (t) => {
    const { outcome, page } = await suited.visit(
      t,
      await suited.project(t, "page", "plain"),
      { path },
    );
    assert.ok(outcome.length > 0, "the page has no test");
    for (const name of outcome) {
      await t.test(name, async () =>
        assert.equal(
          await page.evaluate((name) => globalThis.run(name), name),
          null,
        ),
      );
    }
    const lines = await page.lines();
    assert.deepEqual(
      lines.filter((line) => !BY_FIREFOX.test(line)),
      [],
    );
  });
