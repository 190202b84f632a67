// The package on pages, in the engine of `ENGINE`.
import "../packaging/browser.test.mjs";
import "../packaging/driver.test.mjs";
import "../packaging/store.test.mjs";
