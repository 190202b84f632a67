// Finds databases of Durable Objects that have no table.
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
} from "node:fs";

/** Bytes of a page, as workerd makes its databases. */
const PAGE = 4_096;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
/** The first byte of a page that is a leaf of a table. */
const LEAF = 0x0d;
/** Offsets in the first page (https://www.sqlite.org/fileformat2.html). */
const AT = {
  pageSize: 16,
  pages: 28,
  freePages: 36,
  pageType: 100,
  cells: 103,
};
/** A symbolic link may have come with a project, so none is followed. Windows has no such flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Returns true if a database has no table and no pending change, so that it has no row and no
 * alarm.
 *
 * workerd leaves such a file when an object was only read, and after `deleteAll`: one page, whose
 * list of tables is empty. An alarm needs the table `_cf_METADATA`, and values of the key-value
 * storage the table `_cf_KV`. Any other file counts as data: several pages, another page size, a
 * log with content, a file that can't be read.
 *
 * The function is synchronous: the caller may have paused the process that uses the file.
 *
 * @param {string} file
 */
export function isEmptyDatabase(file) {
  try {
    if (sizeOf(`${file}-wal`) > 0 || sizeOf(`${file}-journal`) > 0)
      return false;
    const stats = lstatSync(file);
    if (!stats.isFile()) return false;
    // workerd was killed before it wrote the first page.
    if (stats.size === 0) return true;
    return stats.size === PAGE && hasNoTable(firstPage(file));
  } catch {
    return false;
  }
}

/**
 * Removes a database with its write-ahead log and the log's index.
 *
 * @param {string} file
 */
export function removeDatabase(file) {
  // The database itself goes last: if this is interrupted, what is left is still an empty database.
  for (const suffix of ["-wal", "-shm"])
    if (exists(`${file}${suffix}`)) unlinkSync(`${file}${suffix}`);
  unlinkSync(file);
}

const exists = (file) =>
  lstatSync(file, { throwIfNoEntry: false }) !== undefined;

const sizeOf = (file) => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

function firstPage(file) {
  const page = Buffer.alloc(PAGE);
  const descriptor = openSync(file, FLAGS);
  try {
    return page.subarray(0, readSync(descriptor, page, 0, PAGE, 0));
  } finally {
    closeSync(descriptor);
  }
}

function hasNoTable(page) {
  return (
    page.length === PAGE &&
    page.subarray(0, MAGIC.length).equals(MAGIC) &&
    page.readUInt16BE(AT.pageSize) === PAGE &&
    page.readUInt32BE(AT.pages) === 1 &&
    page.readUInt32BE(AT.freePages) === 0 &&
    page[AT.pageType] === LEAF &&
    page.readUInt16BE(AT.cells) === 0
  );
}
