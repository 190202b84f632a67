// Tests that are written in a page, each of which is a subtest here.
import assert from "node:assert/strict";
import { test } from "node:test";

/** What Firefox itself prints of a stream that breaks, although the rejection is handled. */
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
          await page.evaluate((it) => globalThis.run(it), name),
          null,
        ),
      );
    }
    const lines = await page.lines();
    assert.deepEqual(
      lines.filter((it) => !BY_FIREFOX.test(it)),
      [],
    );
  });
