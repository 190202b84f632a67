// Values of callers in a real page: no JavaScript value, however hostile, harms the client or hangs a call.
import { pageTests } from "./support/page-tests.mjs";
import { suite } from "./support/suite.mjs";

pageTests(suite(), "values of callers", "/values.html");
