// Reads documents within a budget. pdf-lib repairs damaged documents without a limit: a file of 100
// bytes can keep it busy forever. Strangers upload files, and on a server the gateway has the same
// thread.
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  type PDFObject,
  PDFObjectStreamParser,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFXRefStreamParser,
  Unzlib,
} from "./pdf-lib.js";

/** What the documents of a request may still use. */
export interface Budget {
  /** Bytes that are read. A byte that is read twice counts twice. */
  reads: number;
  /** Values, such as numbers. With its copy, a value takes up to 100 bytes of memory. */
  values: number;
  /** Bytes of values after their decompression. */
  inflated: number;
  /** Names. pdf-lib keeps each one in memory until the Worker ends. */
  names: number;
}

export interface Reading {
  readonly budget: Budget;
  /** The names that are paid for. */
  readonly names: Set<PDFObject>;
}

/** The reads for each byte of a file. Of 140 documents, many damaged, none needs over six. */
const READS_PER_BYTE = 10;
/** The reads of a file of any size. */
const MIN_READS = 5_000_000;
/** The reads that take as long as an exception. pdf-lib throws one per byte between objects. */
const READS_PER_EXCEPTION = 200;
/** The most bytes of a text or a table. pdf-lib needs 30 times as much memory to read a text. */
const MAX_RUN = 2_000_000;
/** A manual of 4 MB and 206 pages has 1,080,000. */
const MAX_VALUES = 1_200_000;
/** A list or a dictionary takes as much memory as this many numbers. */
const VALUES_PER_LIST = 6;
const MAX_INFLATED = 32_000_000;
const MAX_NAMES = 20_000;
/** The largest number of an object that does not count as a name. */
const MAX_OBJECT = 200_000;
/** The objects after which other requests have their turn. */
export const OBJECTS_PER_TICK = 1_000;
/** The compressed bytes after which the budget is looked at. They become at most 4 MB. */
const INFLATE_STEP = 4_096;

/** Begins to read documents with this many bytes in all. */
export const readingOf = (size: number): Reading => ({
  budget: {
    reads: MIN_READS + READS_PER_BYTE * size,
    values: MAX_VALUES,
    inflated: MAX_INFLATED,
    names: MAX_NAMES,
  },
  names: new Set(),
});

export class Locked extends Error {}

export class OverBudget extends Error {}

/**
 * Reads a document.
 *
 * @throws {Locked} if it is encrypted
 * @throws {OverBudget} if it uses more than the budget
 * @throws {Error} any other one if it is not readable
 */
export async function parse(
  bytes: Uint8Array,
  reading: Reading,
): Promise<PDFContext> {
  const isOver = () => Object.values(reading.budget).some((left) => left < 0);
  const parser = new LimitedParser(bytes, reading);
  const context = await parser.parseDocument().catch((error) => {
    throw isOver() ? new OverBudget() : error;
  });
  // The values of an encrypted document can't be decompressed.
  if (context.trailerInfo.Encrypt !== undefined) throw new Locked();
  // pdf-lib goes on without the values that it can't read.
  if (isOver()) throw new OverBudget();
  if (parser.unreadStreams > 0) throw new Error("values are missing");
  return context;
}

function spend<K extends keyof Budget>(
  budget: Pick<Budget, K>,
  what: K,
  amount: number,
) {
  budget[what] -= amount;
  if (budget[what] < 0) throw new OverBudget();
}

function spendValue({ budget, names }: Reading, value: PDFObject) {
  const isList = value instanceof PDFArray || value instanceof PDFDict;
  spend(budget, "values", isList ? VALUES_PER_LIST : 1);
  if (value instanceof PDFRef) spendName({ budget, names }, value);
}

function spendName({ budget, names }: Reading, name: PDFName | PDFRef) {
  const isUsual =
    name instanceof PDFRef &&
    name.generationNumber === 0 &&
    name.objectNumber <= MAX_OBJECT;
  if (isUsual || names.has(name)) return;
  names.add(name);
  spend(budget, "names", 1);
}

/** The methods of pdf-lib's `ByteStream` by which a parser reads. */
interface Bytes {
  next(): number;
  moveTo(offset: number): void;
}

function charge(bytes: Bytes, budget: Pick<Budget, "reads">) {
  const { next, moveTo } = bytes;
  let run = 0;
  bytes.next = () => {
    run += 1;
    spend(budget, "reads", run > MAX_RUN ? Infinity : 1);
    return next.call(bytes);
  };
  bytes.moveTo = (offset) => {
    run = 0;
    moveTo.call(bytes, offset);
  };
}

/** The parser of each document, for those of its streams. */
const parsers = new WeakMap<PDFContext, LimitedParser>();

class LimitedParser extends PDFParser {
  /** The number of streams of values that were not read to their end. */
  unreadStreams = 0;
  readonly reading: Reading;

  constructor(bytes: Uint8Array, reading: Reading) {
    super(bytes, OBJECTS_PER_TICK);
    this.reading = reading;
    parsers.set(this.context, this);
    charge(this.bytes, reading.budget);
    const { position } = this.bytes;
    // Each exception has the position.
    this.bytes.position = () => {
      spend(reading.budget, "reads", READS_PER_EXCEPTION);
      return position.call(this.bytes);
    };
  }

  override parseObject(ref?: PDFRef) {
    if (ref) spendName(this.reading, ref);
    const value = super.parseObject(ref);
    spendValue(this.reading, value);
    return value;
  }

  protected override parseName() {
    const name = super.parseName();
    spendName(this.reading, name);
    return name;
  }

  protected override parseDictOrStream(ref?: PDFRef) {
    // pdf-lib asks for the position without an exception here.
    this.reading.budget.reads += READS_PER_EXCEPTION;
    const object = super.parseDictOrStream(ref);
    // The bytes of a stream are copied without being read. Damaged streams may overlap.
    if (object instanceof PDFRawStream)
      spend(this.reading.budget, "reads", object.getContentsSize());
    return object;
  }
}

class LimitedStreamParser extends PDFObjectStreamParser {
  readonly #document: LimitedParser;

  constructor(
    stream: PDFRawStream,
    isTick: (() => boolean) | undefined,
    document: LimitedParser,
    size: number,
  ) {
    super(stream, isTick);
    this.#document = document;
    charge(this.bytes, { reads: READS_PER_BYTE * size });
  }

  override parseObject(ref?: PDFRef) {
    const { reading } = this.#document;
    if (ref) spendName(reading, ref);
    const value = super.parseObject(ref);
    spendValue(reading, value);
    return value;
  }

  protected override parseName() {
    const name = super.parseName();
    spendName(this.#document.reading, name);
    return name;
  }

  override async parseIntoContext() {
    await super.parseIntoContext();
    this.#document.unreadStreams -= 1;
  }
}

// `PDFParser` calls these two functions for streams, and has no option instead of them.
PDFObjectStreamParser.forStream = (stream, isTick) => {
  const document = parsers.get(stream.dict.context) as LimitedParser;
  document.unreadStreams += 1;
  const { budget } = document.reading;
  const size = inflatedSize(stream, budget.inflated);
  spend(budget, "inflated", size);
  return new LimitedStreamParser(stream, isTick, document, size);
};
PDFXRefStreamParser.forStream = ({ dict }) => {
  // pdf-lib uses only the trailer. The stream may state any number of positions: leave them out.
  const trailer = dict.clone();
  trailer.set(PDFName.of("Index"), dict.context.obj([]));
  trailer.delete(PDFName.of("Filter"));
  return new PDFXRefStreamParser(PDFRawStream.of(trailer, new Uint8Array()));
};

/** Returns the size of a stream after its decompression; a size above `most` may be too small. */
function inflatedSize({ dict, contents }: PDFRawStream, most: number): number {
  const filter = filterOf(dict);
  if (filter === undefined) return contents.length;
  // The standard allows other filters. Programs use this one.
  if (filter !== PDFName.of("FlateDecode")) throw new Error("unknown filter");
  let size = 0;
  const inflate = new Unzlib((part) => {
    size += part.length;
  });
  for (let at = 0; at < contents.length && size <= most; at += INFLATE_STEP)
    inflate.push(contents.subarray(at, at + INFLATE_STEP));
  return size;
}

function filterOf(dict: PDFDict) {
  const filter = dict.lookup(PDFName.of("Filter"));
  const isOnly = filter instanceof PDFArray && filter.size() === 1;
  return isOnly ? filter.lookup(0) : filter;
}
