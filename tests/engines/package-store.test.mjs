import "../packaging/store.test.mjs";
