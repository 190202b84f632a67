// The requests that send a file by XMLHttpRequest, which Node does not have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { byXhr } from "../dist/upload.js";

/** Replaces the XMLHttpRequest of the platform by one with this response, and counts the requests. */
function replace(t, headers = "") {
  const seen = { sent: 0 };
  class Request {
    upload = {};
    status = 200;
    responseText = "";
    onloadend = () => {};
    open() {}
    setRequestHeader() {}
    getAllResponseHeaders = () => headers;
    send() {
      seen.sent += 1;
      queueMicrotask(() => this.onloadend());
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: Request });
  t.after(() => Reflect.deleteProperty(globalThis, "XMLHttpRequest"));
  return seen;
}

test("a request whose signal is already aborted is not sent", async (t) => {
  const seen = replace(t);
  const signal = AbortSignal.abort("enough");
  const sending = byXhr(() => {})("https://storage.test/put", { signal });
  assert.equal(await sending.catch((reason) => reason), "enough");
  assert.equal(seen.sent, 0);
});

test("the headers of a response are whole", async (t) => {
  replace(t, 'x-note: a: b: c\r\netag: "1"\r\nx-empty: \r\n');
  const response = await byXhr(() => {})("https://storage.test/put", {});
  assert.deepEqual(Object.fromEntries(response.headers), {
    etag: '"1"',
    "x-empty": "",
    "x-note": "a: b: c",
  });
});
