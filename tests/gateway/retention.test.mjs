// A ledger keeps a create for a day, and is deleted with its last one. The test backdates the
// stored data between two runs of the gateway.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { folder } from "../support/folder.mjs";
import { startGateway } from "../support/gateway.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { clientOf, taskResponse } from "../support/world.mjs";

const DAY_MS = 86_400_000;

/**
 * Runs SQL on a database, and prints the result of the last statement. Node 20 has no SQLite;
 * Python has.
 */
const PYTHON = `
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for statement in sys.argv[2:]:
    rows = database.execute(statement).fetchall()
database.commit()
print(json.dumps(rows))`;
const sql = async (file, ...statements) =>
  JSON.parse(
    (await promisify(execFile)("python3", ["-c", PYTHON, file, ...statements]))
      .stdout,
  );

/** Returns an alarm's time in workerd's own tables: nanoseconds since 1970. */
const inASecond = () => String((Date.now() + 1000) * 1e6);

test("each create is removed after a day, and the ledger with the last one", async (t) => {
  const state = await folder(t);
  const upstream = await startUpstream(() => taskResponse("SUCCEEDED"));
  t.after(() => upstream.stop());
  const run = async (work) => {
    const settings = { UPSTREAM_BASE_URL: upstream.url };
    const gateway = await startGateway(settings, { state });
    await work(clientOf(gateway));
    await gateway.stop();
  };
  await run(async ({ create }) => {
    await create("first");
    await create("second");
  });
  const names = await readdir(state, { recursive: true });
  const alarms = names.find((name) => name.endsWith("Ledger/metadata.sqlite"));
  const name = names.find((name) => /Ledger\/[0-9a-f]{64}\.sqlite$/.test(name));
  const ledger = join(state, name);
  const age = async (condition, left) => {
    await sql(
      ledger,
      `UPDATE creates SET created_at = created_at - ${DAY_MS} WHERE ${condition}`,
      `UPDATE _cf_METADATA SET value = ${inASecond()} WHERE key = 1`,
    );
    await sql(
      join(state, alarms),
      `UPDATE _cf_ALARM SET scheduled_time = ${inASecond()}`,
    );
    await run(async ({ api }) => {
      while ((await api("tasks")).data.tasks.length !== left) await sleep(100);
    });
  };

  await age("key LIKE '%first'", 1);
  assert.deepEqual(await sql(ledger, "SELECT key FROM creates"), [
    ["text_to_image_turbo second"],
  ]);
  const [[created]] = await sql(ledger, "SELECT created_at FROM creates");
  const [[due]] = await sql(
    ledger,
    "SELECT value FROM _cf_METADATA WHERE key = 1",
  );
  assert.ok(
    Math.abs(due / 1e6 - created - DAY_MS) < 60_000,
    "the next removal is due when the oldest create is a day old",
  );

  await age("1", 0);
  assert.deepEqual(
    await sql(ledger, "SELECT name FROM sqlite_master WHERE type = 'table'"),
    [],
  );
});
