// The countdown of an estimate (`timeLeft` of mediagate/observers).
import assert from "node:assert/strict";
import { test } from "node:test";
import { observeTask, receivedEta, timeLeft } from "../dist/observers.js";
import { fakeMedia } from "../dist/testing.js";

const ETA = { seconds: 200, low: 180, high: 240 };

test("an estimate counts down until nine in ten tasks have ended, and its bar never goes back", () => {
  const at = (passed) =>
    timeLeft(
      { eta: { ...ETA, receivedAt: 0 } },
      { startedAt: 0, now: passed * 1000 },
    );
  const shown = [0, 130, 160, 190, 230].map((passed) => {
    const { overdue, seconds } = at(passed);
    assert.equal(overdue, false);
    return Math.round(seconds);
  });
  assert.deepEqual(shown, [200, 74, 44, 25, 10]);
  assert.equal(at(240).overdue, true);
  const shares = Array.from({ length: 600 }, (_, passed) => at(passed).share);
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => one - other),
  );
  assert.ok(shares.at(-1) < 1);
});

test("points of an estimate may coincide", () => {
  const eta = { seconds: 3, low: 3, high: 3, receivedAt: 0 };
  for (const now of [0, 1_000, 3_000, 9_000])
    assert.ok(timeLeft({ eta }, { now }).seconds >= 0.5, String(now));
});

test("an estimate counts from its first sight, also in another snapshot, and once stored", () => {
  const eta = { ...ETA };
  const received = { ...ETA, receivedAt: 1_000 };
  assert.deepEqual(receivedEta({ eta }, 1_000), received);
  assert.deepEqual(receivedEta({ eta }, 9_000), received);
  assert.deepEqual(receivedEta({ eta: received }, 9_000), received);
  assert.equal(receivedEta({ eta: { ...ETA } }, 9_000).receivedAt, 9_000);
  const [first, later] = [1_000, 61_000].map((now) =>
    timeLeft({ eta }, { now }),
  );
  assert.ok(later.seconds < first.seconds);
  assert.equal(first.share, undefined);
});

test("an estimate that an observer showed counts from then, not from the first call", async (t) => {
  const media = fakeMedia({ text_to_image: [{ state: "RUNNING", eta: ETA }] });
  const task = await media.textToImage({ prompt: "a lighthouse" });
  const observer = observeTask(task);
  t.mock.timers.enable({ apis: ["Date"] });
  await new Promise((resolve) =>
    t.after(observer.subscribe(() => resolve(undefined))),
  );
  t.mock.timers.setTime(60_000);
  const { snapshot } = observer.getSnapshot();
  assert.equal(receivedEta(snapshot).receivedAt, 0);
});

test("without an estimate there is nothing to count", () => {
  assert.equal(timeLeft({}), undefined);
  assert.equal(receivedEta({ eta: undefined }), undefined);
});
