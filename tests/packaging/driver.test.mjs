// The client on a real page: iterators of updates, and uploads.
import { pageTests } from "./support/page-tests.mjs";
import { suite } from "./support/suite.mjs";

// Slow enough that an upload reports its progress and can be aborted.
pageTests(
  suite({ stack: { uploadSpeed: 16_000_000 } }),
  "what the client does on its platform",
  "/driver.html",
);
