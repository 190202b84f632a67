// The client on a real page: iterators of updates, and uploads.
import { pageTests } from "./support/page-tests.mjs";
import { suite } from "./support/suite.mjs";

// Uploads are slow enough to report progress and to be aborted.
pageTests(
  suite({ stack: { uploadSpeed: 16_000_000 } }),
  "what the client does on its platform",
  "/driver.html",
);
