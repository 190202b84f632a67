// PDFs that a module merges and splits: the pages of the result, and what is refused.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { PDFDocument as EncryptablePdf } from "@cantoo/pdf-lib";
import { transform } from "esbuild";
import { upstream } from "mediagate-gateway/upstream";
import { mergePdf, splitPdf } from "mediagate-gateway/upstream/pdf";
import { PDFArray, PDFDocument, PDFName, PDFRawStream } from "pdf-lib";
import { bundle } from "../../gateway/src/workerd/bundle.js";
import { KEEP_ALIVE, listen } from "../support/listen.mjs";
import { create } from "./support.mjs";

const MOST_BYTES = 50_000;

const worker = upstream({ merge_pdf: mergePdf(), split_pdf: splitPdf() });
const merge = (files) =>
  create(worker, {}, "merge_pdf", { input_file_ids: files });
const split = (file, range) =>
  create(worker, {}, "split_pdf", { input_file_id: file, page_range: range });

/** The operator's bucket: the files by their paths. */
const stored = new Map();
const bucket = { url: "", loads: 0 };
const server = createServer(KEEP_ALIVE, ({ url }, response) => {
  bucket.loads += 1;
  response.end(stored.get(url));
});
before(async () => {
  bucket.url = await listen(server);
});
after(() => server.close());

/** Stores a document, and returns it as the gateway describes it. */
function fileOf(bytes, name = "a.pdf") {
  const path = `/${stored.size}`;
  stored.set(path, bytes);
  const url = bucket.url + path;
  return { url, name, type: "application/pdf", size: bytes.length };
}

/** Returns a document with a page of each width, by which a test knows the page again. */
async function drawn(...widths) {
  const document = await PDFDocument.create();
  for (const width of widths)
    document.addPage([width, 100]).drawText(`page of ${width}`);
  return document;
}
const pdf = async (...widths) => (await drawn(...widths)).save();

/** Returns a document with this text after its header. */
const raw = (...parts) =>
  Buffer.concat(["%PDF-1.7\n", ...parts].map((part) => Buffer.from(part)));

async function documentOf({ code, message, data }) {
  assert.equal(code, 0, message);
  const { state, outputs, provider } = data.task;
  assert.deepEqual([state, provider], ["SUCCEEDED", "module"]);
  const [{ url, content_type }, ...others] = outputs;
  assert.deepEqual([content_type, others], ["application/pdf", []]);
  const [type, text] = url.split(",");
  assert.equal(type, "data:application/pdf;base64");
  return PDFDocument.load(Buffer.from(text, "base64"));
}

const widthsOf = (document) =>
  document.getPages().map((page) => page.getWidth());
const widths = async (envelope) => widthsOf(await documentOf(envelope));

async function refused(promise, sentence) {
  const { code, message } = await promise;
  assert.deepEqual([code, message], [12, sentence]);
}

test("documents are merged in order, also one that is given twice", async () => {
  const one = fileOf(await pdf(101, 102));
  const two = fileOf(await pdf(201));
  assert.deepEqual(
    await widths(await merge([two, one, two])),
    [201, 101, 102, 201],
  );
  assert.deepEqual(await widths(await merge([one])), [101, 102]);
});

test("a result has the contents of its pages, and what they inherit", async () => {
  const document = await drawn(101, 102);
  const { catalog, context } = document;
  for (const { node } of document.getPages())
    node.delete(PDFName.of("MediaBox"));
  catalog.Pages().set(PDFName.of("MediaBox"), context.obj([0, 0, 300, 400]));
  const bytes = await document.save();
  const result = await documentOf(await split(fileOf(bytes), "2"));
  assert.deepEqual(widthsOf(result), [300]);
  const source = await PDFDocument.load(bytes);
  assert.deepEqual(contentsOf(result, 0), contentsOf(source, 1));
  assert.ok(contentsOf(result, 0).length > 20);
});

/** Returns the drawing of a page, as it is stored. */
function contentsOf(document, index) {
  const contents = document.getPage(index).node.Contents();
  assert.ok(contents instanceof PDFArray);
  return Buffer.from(contents.lookup(0, PDFRawStream).contents);
}

test("a document is split by each form of a range", async () => {
  const file = fileOf(await pdf(101, 102, 103, 104, 105));
  for (const [range, expected] of /** @type {const} */ ([
    ["1-3", [101, 102, 103]],
    ["1,3,5", [101, 103, 105]],
    ["1-2,5", [101, 102, 105]],
    ["4,4,1", [104, 104, 101]],
    [" 1 - 2 ; 5 ", [101, 102, 105]],
    ["3-1", [103, 102, 101]],
    ["4-", [104, 105]],
    ["-2", [101, 102]],
    ["all", [101, 102, 103, 104, 105]],
    ["last, FIRST", [105, 101]],
    ["4-end", [104, 105]],
    ["002", [102]],
  ]))
    assert.deepEqual(await widths(await split(file, range)), expected, range);
});

test("a range that names no page, too many or others is refused", async () => {
  const file = fileOf(await pdf(101, 102, 103, 104, 105));
  const past = (page) =>
    `page_range: page ${page} is past the end; pages in the document: 5`;
  await refused(split(file, "6"), past(6));
  await refused(split(file, "1,2-6"), past(6));
  await refused(split(file, "9-1"), past(9));
  const unknown =
    "page_range: this module does not read this form; give one such as 1-3, 1,3,5 or 2-";
  for (const range of ["0", "-", ",", "odd", "1-2-3", "1.5", "٣", "4294967296"])
    await refused(split(file, range), unknown);
  await refused(
    split(file, Array(2_001).fill("1-5").join()),
    "page_range: more than 10000 pages; request fewer",
  );
});

test("a page that is not chosen is not in the result, although a link leads to it", async () => {
  const document = await drawn(101, 102);
  const [first, second] = document.getPages();
  const link = {
    Type: "Annot",
    Subtype: "Link",
    Rect: [0, 0, 9, 9],
    P: first.ref,
    Dest: [second.ref, "Fit"],
  };
  first.node.set(PDFName.of("Annots"), document.context.obj([link]));
  const file = fileOf(await document.save());
  const pagesIn = (result) =>
    result.context
      .enumerateIndirectObjects()
      .filter(([, object]) => String(object).includes("/Type /Page\n")).length;
  assert.equal(pagesIn(await documentOf(await split(file, "1"))), 1);
  assert.equal(pagesIn(await documentOf(await split(file, "2,1"))), 2);
});

test("a document of many small parts is read, compressed and not", async () => {
  const document = await drawn(101);
  const { context } = document;
  const parts = Array.from({ length: 40_000 }, () =>
    context.register(context.obj({ A: 1 })),
  );
  document.getPage(0).node.set(PDFName.of("PieceInfo"), context.obj(parts));
  for (const useObjectStreams of [true, false]) {
    const file = fileOf(await document.save({ useObjectStreams }));
    const result = await documentOf(await split(file, "1"));
    assert.ok(result.context.enumerateIndirectObjects().length > parts.length);
  }
});

test("what a result lacks is a warning", async () => {
  const document = await drawn(101);
  document.getForm().createTextField("name").addToPage(document.getPage(0));
  document.catalog.set(PDFName.of("Outlines"), document.context.obj({}));
  const lacking = fileOf(await document.save(), "form.pdf");
  const { data } = await merge([lacking, fileOf(await pdf(201))]);
  assert.deepEqual(data.task.warnings, [
    "the result has no bookmarks, no form fields that can be filled in",
  ]);
});

test("a document with a password, a damaged one and another file are refused", async () => {
  const good = await pdf(101, 102, 103);
  const locked = await EncryptablePdf.load(good);
  locked.encrypt({ userPassword: "user", ownerPassword: "owner" });
  const files = { "good.pdf": good, "locked.pdf": await locked.save() };
  const unreadable = {
    "cut.pdf": good.subarray(0, good.length / 2),
    "text.pdf": Buffer.from("no PDF at all"),
    "empty.pdf": raw(
      "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]>>\nendobj\n",
    ),
    "page.pdf": raw(
      "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]>>\nendobj\n",
    ),
  };
  const [readable, needsPassword] = Object.entries(files).map(([name, bytes]) =>
    fileOf(bytes, name),
  );
  const reason = "locked.pdf is protected by a password; remove it first";
  await refused(merge([readable, needsPassword]), `input_file_ids: ${reason}`);
  await refused(split(needsPassword, "1"), `input_file_id: ${reason}`);
  for (const [name, bytes] of Object.entries(unreadable))
    await refused(
      merge([readable, fileOf(bytes, name)]),
      `input_file_ids: ${name} is not a readable PDF document; save it again with another program`,
    );
});

test("documents that are too large are refused before they are loaded", async () => {
  const file = fileOf(await pdf(101));
  const { loads } = bucket;
  const reason =
    "more than the 10.0 MB that the module reads; give fewer or smaller documents";
  await refused(
    merge([
      { ...file, size: 6_000_000 },
      { ...file, size: 4_100_000 },
    ]),
    `input_file_ids: 10.1 MB are ${reason}`,
  );
  await refused(
    split({ ...file, size: 25_000_000 }, "1"),
    `input_file_id: 25.0 MB are ${reason}`,
  );
  assert.equal(bucket.loads, loads);
});

test("pages that are repeated can't make a result of any size", async () => {
  const document = await drawn(101);
  const long = document.context.obj(Array(2_000).fill(1));
  document.getPage(0).node.set(PDFName.of("PieceInfo"), long);
  await refused(
    split(fileOf(await document.save()), "1,".repeat(9_000)),
    "input_file_id: the result has more than 12.0 MB; choose fewer pages or documents",
  );
});

/** Documents that pdf-lib itself reads for minutes, or that take much memory. */
const HOSTILE = {
  digits: () => raw("1 0 obj\n<<>>\nendobj\nx ", "1".repeat(200_000)),
  "numbers between two objects": () =>
    raw("1 0 obj\n<<>>\nendobj\nx ", "1 ".repeat(500_000)),
  "a text of 4 MB": () =>
    raw("1 0 obj\n(", "a".repeat(4_000_000), ")\nendobj\n"),
  "30,000 names": () =>
    raw(
      "1 0 obj\n[",
      Array.from({ length: 30_000 }, (_, index) => `/N${index}`).join(""),
      "]\nendobj\n",
    ),
  "streams without an end": () => raw("1 0 obj\n<<>>\nstream\n".repeat(50_000)),
  "strings without an end": () => raw("1 0 obj\n(".repeat(100_000)),
  "streams in one another": () => {
    const start = "1 0 obj\n[<</Length 0000000>>stream\nendobj\n";
    const starts = Array.from({ length: 50_000 }, (_, index) =>
      start.replace(
        "0000000",
        String((50_000 - index) * start.length - 27).padStart(7, "0"),
      ),
    );
    return raw(...starts, "\nendstream");
  },
  "a hundred million positions": () =>
    raw(
      "1 0 obj\n<</Type/XRef/Size 5/W[0 0 0]/Index[0 100000000]/Length 0>>\nstream\n\nendstream\nendobj\n",
    ),
  "values of 256 MB": () =>
    values(1, 4, deflateSync(Buffer.alloc(2 ** 28, " "))),
  "values in one another": () => {
    const list = `[${"1 ".repeat(20_000)}]`;
    return values(20_000, 120_000, deflateSync("9 0   ".repeat(20_000) + list));
  },
  "a tree of half a billion pages": () => {
    const nodes = Array.from(
      { length: 29 },
      (_, index) =>
        `${index + 2} 0 obj\n<</Type/Pages/Kids[${index + 3} 0 R ${index + 3} 0 R]>>\nendobj\n`,
    );
    return raw(
      "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n",
      ...nodes,
      "31 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n",
    );
  },
  "lists in one another": () => raw("1 0 obj\n", "[".repeat(1_000_000)),
  "a million dictionaries": () =>
    raw("1 0 obj\n[", "<</A 1>>".repeat(1_000_000), "]\nendobj\n"),
};

const values = (count, first, bytes) =>
  raw(
    `1 0 obj\n<</Type/ObjStm/N ${count}/First ${first}/Filter/FlateDecode/Length ${bytes.length}>>\nstream\n`,
    bytes,
    "\nendstream\nendobj\n",
  );

for (const [name, bytesOf] of Object.entries(HOSTILE))
  test(`refused within seconds: ${name}`, { timeout: 20_000 }, async () => {
    const { code, message } = await split(fileOf(bytesOf()), "1");
    assert.equal(code, 12);
    assert.match(
      message,
      /^input_file_id: (?:a\.pdf is not a readable PDF document|the documents up to a\.pdf have too many parts)/,
    );
  });

test("a module outside of this project is bundled with it, and has at most 50 kB", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-pdf-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "upstream.ts");
  await writeFile(
    file,
    `import { upstream } from "mediagate-gateway/upstream";
     import { mergePdf, splitPdf } from "mediagate-gateway/upstream/pdf";
     export default upstream({ merge_pdf: mergePdf(), split_pdf: splitPdf() });`,
  );
  const { code } = bundle(file, false);
  const path = join(folder, "bundled.mjs");
  await writeFile(path, code);
  const { default: bundled } = await import(path);
  const files = [fileOf(await pdf(101)), fileOf(raw("no object"))];
  const [readable] = files;
  const merged = (input_file_ids) =>
    create(bundled, {}, "merge_pdf", { input_file_ids });
  assert.deepEqual(await widths(await merged([readable])), [101]);
  // The class of the error is that of the library in the same bundle.
  assert.equal((await merged(files)).code, 12);
  const minified = await transform(code, { minify: true });
  const size = gzipSync(minified.code).byteLength;
  t.diagnostic(
    `${size} bytes with gzip, ${gzipSync(code).byteLength} if it is not minified`,
  );
  assert.ok(size <= MOST_BYTES, `${size} bytes`);
});
