// The support code of the measurements: budgets, rounds and tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "./support/budgets.mjs";
import { quantile, takeTurns } from "./support/rounds.mjs";
import { text } from "./support/table.mjs";

const BUDGETS = { bytes: { most: 100, why: "a page pays for each" } };

test("a fact at its budget passes, and one over it fails with a one-line message that has the remedy", () => {
  assert.deepEqual(compare({ bytes: 100 }, BUDGETS), []);
  const [line, ...more] = compare({ bytes: 101 }, BUDGETS);
  assert.match(
    line,
    /^`bytes` is 101, 1 over its budget of 100; .*budgets\.json/,
  );
  assert.deepEqual(more, []);
});

test("a fact that is not a number is over every budget", () => {
  assert.equal(compare({ bytes: NaN }, BUDGETS).length, 1);
  assert.equal(compare({ bytes: undefined }, BUDGETS).length, 1);
});

test("facts without a budget, budgets without a reason and budgets without a fact fail", () => {
  assert.match(
    compare({ bytes: 1, steps: 2 }, BUDGETS)[0],
    /`steps` is 2 and has no budget/,
  );
  assert.match(compare({ bytes: 1 }, { bytes: { most: 100 } })[0], /no reason/);
  assert.match(compare({}, BUDGETS)[0], /nothing measures `bytes`/);
  assert.deepEqual(compare({}, BUDGETS, { partial: true }), []);
});

test("rounds alternate, and the best one counts", async () => {
  const order = [];
  let now = 0;
  const costs = { a: [9, 5, 2, 4], b: [1, 1, 1, 1] };
  const work = (name) => () => {
    order.push(name);
    now += costs[name].shift();
  };
  const best = await takeTurns(
    { a: work("a"), b: work("b") },
    { rounds: 3, calls: 1, clock: () => now },
  );
  assert.deepEqual(order, ["a", "b", "b", "a", "a", "b", "b", "a"]);
  assert.deepEqual(best, { a: 2000, b: 1000 });
});

test("a quantile is one of the values", () => {
  assert.equal(quantile([3, 1, 2]), 2);
  assert.equal(quantile([1, 2, 3, 4], 0.99), 4);
});

test("a table has aligned columns and the ratio to one row; a missing value is blank", () => {
  const table = {
    title: "Bytes",
    columns: ["raw"],
    rows: { ours: [50], theirs: [100], none: [null] },
    ratio: { column: 0, to: "theirs" },
  };
  const lines = text(table).split("\n");
  assert.deepEqual(
    lines.slice(1, 5).map((it) => it.trimEnd()),
    [
      "        raw  raw ÷ theirs",
      "ours     50          0.50",
      "theirs  100          1.00",
      "none",
    ],
  );
});
