import "../packaging/react.test.mjs";
