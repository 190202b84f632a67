// The package in Next.js, whose builds are slow.
import { test } from "node:test";
import {
  assertWorksBuiltBy,
  assertWorksInDevelopment,
} from "./support/next.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

test("next dev: a client component works, and so do a server component and a route", (t) =>
  assertWorksInDevelopment(t, suited));

for (const bundler of ["turbopack", "webpack"])
  test(`next build --${bundler}: a client component works, and so does the server`, (t) =>
    assertWorksBuiltBy(`--${bundler}`, t, suited));
