// The package in Next.js, in the slowest ways of building.
import { test } from "node:test";
import {
  assertWorksBuiltBy,
  assertWorksInDevelopment,
} from "../support/next.mjs";
import { suite } from "../support/suite.mjs";

const suited = suite();

test("next dev: a client component works, and so do a server component and a route", (t) =>
  assertWorksInDevelopment(t, suited));

test("next build --webpack: a client component works, and so does the server", (t) =>
  assertWorksBuiltBy("--webpack", t, suited));
