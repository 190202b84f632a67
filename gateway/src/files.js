// Reads and writes files of a project that may exist: never over a file, and never outside of the
// current folder.
import { constants } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { codeOf, Failure } from "./failure.js";

/**
 * @typedef {object} Done
 * @property {"written" | "unchanged" | "appended" | "skipped"} action
 * @property {string} path
 * @property {string} [detail] the reason, or the appended lines
 */

/**
 * Writes a new file. A file that exists, and a symbolic link, stay as they are.
 *
 * @param {string} path in the current folder
 * @param {string} text
 * @param {number} [mode]
 * @returns {Promise<Done>}
 * @throws {Failure} if it can't be written
 */
export async function create(path, text, mode = 0o666) {
  await makeFolders(dirname(path));
  try {
    await writeNew(path, text, mode);
    return { action: "written", path };
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw unwritable(path, error);
    return { action: "unchanged", path, detail: "it exists" };
  }
}

/** Writes a file that must not exist. The flag `wx` also protects a file that appears meanwhile. */
async function writeNew(path, text, mode) {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(text);
  } catch (error) {
    // The next run would take half a file for a finished one.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Adds to the end of a file, but not through a symbolic link.
 *
 * @param {string} path
 * @param {string} text
 * @throws {Failure} if it can't be written
 */
export async function append(path, text) {
  try {
    // Windows has no `O_NOFOLLOW`.
    const file = await open(
      path,
      constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0),
    );
    await file.writeFile(text).finally(() => file.close());
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} the file's text; `undefined` if there is no file
 * @throws {Failure} if it can't be read
 */
export async function readText(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Failure(`${path} can't be read (${codeOf(error)})`);
  }
}

/**
 * @param {string} path
 * @throws {Failure} if it can't be read
 */
export async function requireText(path) {
  const text = await readText(path);
  if (text === undefined) throw new Failure(`${path} can't be read (ENOENT)`);
  return text;
}

export async function firstOf(paths, test = exists) {
  const found = await Promise.all(paths.map(test));
  return paths.find((_, index) => found[index]);
}

/** Returns true if anything has this name, including a symbolic link that leads nowhere. */
export const exists = (path) => entryAt(path, lstat).then(Boolean);

export const isLink = async (path) =>
  (await entryAt(path, lstat))?.isSymbolicLink() ?? false;

export const isFolder = async (path) =>
  (await entryAt(path, stat))?.isDirectory() ?? false;

const entryAt = (path, read) => read(path).catch(() => undefined);

/**
 * Makes the folders of a path one by one, so that none is made behind a symbolic link that leads
 * out of the current folder.
 */
async function makeFolders(path) {
  if (path === ".") return; // the current folder exists
  await makeFolders(dirname(path));
  try {
    await mkdir(path).catch(unlessExists);
    if (await isInside(path)) return;
  } catch (error) {
    throw unwritable(path, error);
  }
  throw new Failure(
    `${path} is a symbolic link that leads out of this folder, where nothing is written; ` +
      "run the command in that folder, or without the files that would be there",
  );
}

function unlessExists(error) {
  if (codeOf(error) !== "EEXIST") throw error;
}

async function isInside(path) {
  const [root, real] = await Promise.all([realpath("."), realpath(path)]);
  const way = relative(root, real);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

const unwritable = (path, error) =>
  new Failure(
    `${path} can't be written (${codeOf(error)}); ` +
      "free space there, or make the folder one that you may write to, and run this again",
  );
