// Requests that send a file by XMLHttpRequest, which Node does not have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { byXhr } from "../dist/upload.js";
import { client, connect, failure, uploadUrl } from "./support/client.mjs";

/** Replaces the platform's XMLHttpRequest by one with this response, and counts the requests. */
function replace(t, headers = "", members = {}) {
  const seen = { sent: 0, aborted: 0 };
  class Request {
    upload = {};
    status = 200;
    readyState = 4;
    responseText = "";
    onloadend = () => {};
    onreadystatechange = () => {};
    constructor() {
      Object.assign(this, members);
    }
    open() {}
    abort() {
      seen.aborted += 1;
    }
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

const send = (init = {}, url = "https://storage.test/put") =>
  byXhr(() => {})(url, init);

test("a request whose signal is already aborted is not sent", async (t) => {
  const seen = replace(t);
  const signal = AbortSignal.abort("enough");
  const sending = send({ signal });
  assert.equal(await sending.catch((reason) => reason), "enough");
  assert.equal(seen.sent, 0);
});

test("the headers of a response are complete", async (t) => {
  replace(t, 'x-note: a: b: c\r\netag: "1"\r\nx-empty: \r\n');
  const response = await send();
  assert.deepEqual(Object.fromEntries(response.headers), {
    etag: '"1"',
    "x-empty": "",
    "x-note": "a: b: c",
  });
});

for (const status of [600, 999]) {
  test(`the status ${status}, which no response can have, is an error`, async (t) => {
    replace(t, "", { status });
    const sending = send();
    await assert.rejects(sending, new RegExp(`status ${status}`));
  });
}

test("a request that was redirected has the status of a redirect", async (t) => {
  const responseURL = "https://other.test/put";
  replace(t, "", { responseURL });
  const response = await send();
  assert.equal(response.status, 302);
});

test("a request to a URL that is not normalised does not count as redirected", async (t) => {
  const responseURL = "https://storage.test/put?a=%20";
  replace(t, "", { responseURL });
  const response = await send({}, "HTTPS://storage.test/put?a= #b");
  assert.equal(response.status, 200);
});

test("a file counts as stored even if the response never ends", async (t) => {
  const seen = replace(t, "", {
    send() {
      this.readyState = 2;
      this.onreadystatechange();
    },
  });
  const response = await send();
  assert.equal(response.status, 200);
  assert.equal(seen.aborted, 1);
});

const SECRET = "sig=SECRET";

for (const url of [
  `https://user:pw@storage.test/put?${SECRET}`,
  `http://[bad/?${SECRET}`,
  `file:///etc/passwd?${SECRET}`,
  `/put?${SECRET}`,
  `http://127.0.0.1:1/put?${SECRET}`,
]) {
  test(`an upload to ${url} is an error that does not name its query`, async (t) => {
    const { fetch } = globalThis;
    t.after(() => Object.assign(globalThis, { fetch }));
    // Some platforms name the whole URL in their errors.
    globalThis.fetch = async (given) => {
      const cause = Object.assign(new Error(`no connection to ${given}`), {
        code: "ECONNREFUSED",
        input: given,
      });
      throw new TypeError(`no response for url (${given}): none`, { cause });
    };
    const texts = [];
    const media = await connect({
      maxRetries: 0,
      logger: {
        debug() {},
        warn: (...line) => texts.push(inspect(line, { depth: 9 })),
      },
      middleware: (request, next) =>
        request.method === "PUT" ? next() : uploadUrl({ upload_url: url }),
    });
    const error = await failure(media.upload(new Blob(["x"])), "upload_failed");
    texts.push(inspect(error, { depth: 9, showHidden: true }));
    for (const text of texts) assert.doesNotMatch(text, /SECRET|user:pw/);
    assert.match(
      String(error.cause),
      /upload_url is not|no response for url \(http:\/\/127.0.0.1:1\/put/,
    );
  });
}

test("a header of an upload that is not valid is an error without its value", async () => {
  const headers = { "x-token": "SECRET\nvalue" };
  const { media } = await client({
    "POST upload_urls": () => uploadUrl({ headers }),
  });
  const error = await failure(media.upload(new Blob(["x"])), "upload_failed");
  assert.match(String(error.cause), /x-token/);
  assert.doesNotMatch(inspect(error, { depth: 9 }), /SECRET/);
});
