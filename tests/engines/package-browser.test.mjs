import "../packaging/browser.test.mjs";
