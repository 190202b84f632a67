// Measures the bytes of Durable Objects on the disk.
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Merges SQLite's write-ahead log into each file, and prints the files' sizes. */
const CHECKPOINT = `
import os, sqlite3, sys
for path in sys.argv[1:]:
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    print(os.path.getsize(path))
`;

/**
 * Returns the bytes on the disk of a class's Durable Objects, and their number. No process may have
 * them open.
 *
 * @param {string} state the folder with all objects
 * @param {string} name the class's
 */
export async function stored(state, name) {
  const files = (await readdir(state, { recursive: true })).filter(
    (path) => path.includes(name) && /[0-9a-f]{64}\.sqlite$/.test(path),
  );
  if (files.length === 0) return { bytes: 0, objects: 0 };
  const { stdout } = await promisify(execFile)("python3", [
    "-c",
    CHECKPOINT,
    ...files.map((file) => join(state, file)),
  ]);
  const sizes = stdout.trim().split("\n").map(Number);
  return { bytes: sizes.reduce((a, b) => a + b, 0), objects: files.length };
}

/** Calls `work` with each item, `width` at a time. */
export async function each(list, width, work) {
  const left = [...list];
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left.length > 0) await work(left.pop());
    }),
  );
}
