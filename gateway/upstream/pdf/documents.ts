// Documents, and the copies of their pages.
import { OBJECTS_PER_TICK, parse, type Reading } from "./parser.js";
import {
  PDFCatalog,
  PDFContext,
  PDFName,
  PDFObjectCopier,
  PDFPageLeaf,
  PDFPageTree,
  type PDFRef,
  PDFStreamWriter,
} from "./pdf-lib.js";

export type Pages = readonly PDFRef[];

export interface Source {
  readonly context: PDFContext;
  readonly pages: Pages;
  /** What a copy of its pages lacks, such as `bookmarks`. */
  readonly lost: readonly string[];
}

/** Parts of a document that are outside of its pages. They are not copied. */
const LOST = {
  Outlines: "bookmarks",
  AcroForm: "form fields that can be filled in",
  OCProperties: "hidden layers",
  PageLabels: "page labels",
};

/** @throws the errors of {@link parse} */
export async function read(
  bytes: Uint8Array,
  reading: Reading,
): Promise<Source> {
  const context = await parse(bytes, reading);
  const catalog = context.lookup(context.trailerInfo.Root);
  if (!(catalog instanceof PDFCatalog)) throw new Error("no catalogue");
  const lost = Object.entries(LOST)
    .filter(([key]) => catalog.has(PDFName.of(key)))
    .map(([, name]) => name);
  return { context, pages: pagesOf(context, catalog), lost };
}

function pagesOf(context: PDFContext, catalog: PDFCatalog): Pages {
  const pages: PDFRef[] = [];
  const seen = new Set<PDFRef>();
  function visit(ref: PDFRef) {
    // A tree that has a node twice may have more pages than there is time for.
    if (seen.has(ref)) throw new Error("damaged tree");
    seen.add(ref);
    const node = context.lookup(ref);
    if (node instanceof PDFPageLeaf) pages.push(ref);
    else if (node instanceof PDFPageTree)
      for (const kid of node.Kids().asArray()) visit(kid as PDFRef);
    else throw new Error("damaged page");
  }
  visit(catalog.get(PDFName.of("Pages")) as PDFRef);
  if (pages.length === 0) throw new Error("no pages");
  return pages;
}

export class TooLarge extends Error {}

export class Result {
  readonly #context = PDFContext.create();
  readonly #tree = PDFPageTree.withContext(this.#context);
  readonly #treeRef = this.#context.register(this.#tree);
  readonly #maxBytes: number;
  #repeatedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Appends pages of a document, which can't be used again then. A page may be there several times.
   *
   * @throws {TooLarge} if repeated pages have too many bytes
   */
  append({ context, pages }: Source, wanted: Pages) {
    const isWanted = new Set(wanted);
    // A link would bring its page into the result, where nobody sees it.
    for (const page of pages) if (!isWanted.has(page)) context.delete(page);
    const copier = PDFObjectCopier.for(context, this.#context);
    for (const page of wanted) {
      const isFirst = isWanted.delete(page);
      const copy = isFirst
        ? copier.copy(page)
        : this.#repeated(copier, context.lookup(page) as PDFPageLeaf);
      const leaf = this.#context.lookup(copy) as PDFPageLeaf;
      leaf.setParent(this.#treeRef);
      this.#tree.pushLeafNode(copy);
    }
  }

  /** Copies a page again. Both pages share their contents, but each one has to be an object. */
  #repeated(copier: PDFObjectCopier, page: PDFPageLeaf): PDFRef {
    this.#repeatedBytes += page.sizeInBytes();
    if (this.#repeatedBytes > this.#maxBytes) throw new TooLarge();
    return this.#context.register(copier.copy(page));
  }

  /**
   * Returns the document as a file.
   *
   * @throws {TooLarge} if it has too many bytes
   */
  async bytes(): Promise<Uint8Array> {
    const context = this.#context;
    const catalog = PDFCatalog.withContextAndPages(context, this.#treeRef);
    context.trailerInfo.Root = context.register(catalog);
    const writer = PDFStreamWriter.forContext(context, OBJECTS_PER_TICK);
    const bytes = await writer.serializeToBuffer();
    if (bytes.length > this.#maxBytes) throw new TooLarge();
    return bytes;
  }
}
