// A ledger keeps a create for a day, and is deleted with its last one. The test backdates the
// stored data between two runs of the gateway.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

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

test("each create is removed after a day, and the ledger with the last one", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-state-"));
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: { task: { id: "t", status: "SUCCEEDED" } } },
  }));
  const run = async (work) => {
    const gateway = await startGateway(
      { UPSTREAM_BASE_URL: upstream.url },
      { state },
    );
    await work(`${gateway.url}/api/app/v1/generate/image/text_to_image_turbo`);
    await gateway.stop();
  };
  try {
    await run(async (url) => {
      for (const key of ["first", "second"]) {
        await request(url, {
          body: { prompt: "p" },
          headers: { "idempotency-key": key },
        });
      }
    });
    const files = (await readdir(state, { recursive: true })).map((path) =>
      join(state, path),
    );
    const alarms = files.find((file) =>
      file.endsWith("Ledger/metadata.sqlite"),
    );
    const ledger = files.find((file) =>
      /Ledger\/[0-9a-f]{64}\.sqlite$/.test(file),
    );
    const age = async (condition, left) => {
      await sql(
        ledger,
        `UPDATE creates SET created_at = created_at - ${DAY_MS} WHERE ${condition}`,
      );
      await sql(
        ledger,
        `UPDATE _cf_METADATA SET value = ${inASecond()} WHERE key = 1`,
      );
      await sql(alarms, `UPDATE _cf_ALARM SET scheduled_time = ${inASecond()}`);
      await run(async (url) => {
        const list = new URL("/api/app/v1/tasks", url).href;
        const count = async () => (await request(list)).data.tasks.length;
        while ((await count()) !== left)
          await new Promise((resolve) => setTimeout(resolve, 100));
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
  } finally {
    await upstream.stop();
    await rm(state, { recursive: true });
  }
});
