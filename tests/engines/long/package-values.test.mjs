import "../../packaging/values.test.mjs";
