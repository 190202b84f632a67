import "../packaging/driver.test.mjs";
