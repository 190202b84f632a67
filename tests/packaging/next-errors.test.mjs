// The session handler of `mediagate/server` leaves Next.js its own errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import navigation from "next/navigation.js";
import { rejection, server } from "../../pkg/test/support/server.mjs";
import { SETTINGS } from "../support/gateway.mjs";

test("Next.js itself responds to redirect and notFound in authenticate", async () => {
  for (const [run, digest] of /** @type {[() => never, RegExp][]} */ ([
    [() => navigation.redirect("/sign-in"), /^NEXT_REDIRECT/],
    [() => navigation.notFound(), /404/],
  ])) {
    const handler = server.nextSessionHandler({
      secret: SETTINGS.SESSION_SECRET,
      authenticate: async () => run(),
    });
    const request = new Request("https://app.example.com/media/session", {
      method: "POST",
    });
    assert.match((await rejection(handler(request, {}))).digest, digest);
  }
});
