// The package in Next.js with its default bundler. The other bundler and the development server are
// in long/.
import { test } from "node:test";
import { assertWorksBuiltBy } from "./support/next.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

test("next build --turbopack: a client component works, and so does the server", (t) =>
  assertWorksBuiltBy("--turbopack", t, suited));
