// Changes the stored data of Durable Objects while the gateway is stopped.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs SQL on each database of Durable Objects that has the table.
 *
 * @param {string} state the folder of the objects
 * @param {string} table
 * @param {string} sql
 */
export async function changeStored(state, table, sql) {
  const names = await readdir(state, { recursive: true });
  const files = names.filter(
    (name) => name.endsWith(".sqlite") && !name.includes("metadata"),
  );
  const script = `
import sqlite3, sys
changed = 0
for path in sys.argv[3:]:
    database = sqlite3.connect(path)
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [sys.argv[1]]).fetchone():
        changed += database.executescript(sys.argv[2]).execute("SELECT changes()").fetchone()[0]
    database.commit()
    database.close()
print(changed)`;
  const paths = files.map((name) => join(state, name));
  const changed = execFileSync(
    "python3",
    ["-c", script, table, sql, ...paths],
    { encoding: "utf8" },
  );
  assert.ok(Number(changed) > 0, "something was changed");
}
