// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { MediagateError } from "mediagate";
import { afterEach, expect, test, vi } from "vitest";
import { type Entry, isRepeatable, stateOf } from "../src/tasks/entry";
import { setReconnecting, silentOf } from "../src/tasks/reconnect";
import { failureOf, warningsOf } from "../src/tasks/record";
import { noticeSlow, slowReads } from "../src/tasks/slow";
import { saveInput } from "../src/tasks/taskInput";
import { unknownError } from "../src/tasks/unsettled";

afterEach(() => {
  vi.useRealTimers();
});

/** An hour less than the gateway keeps a key. */
const OLD_MS = 23 * 3_600_000;

/** A create whose outcome is unknown, and which was sent at this time. */
const unsettled = (sentAt: number): Entry => ({
  key: "a",
  capability: "text_to_image",
  step: "unknown",
  outputs: [],
  startedAt: sentAt,
  sentAt,
});

test("a create is repeated for a day, if the browser has stored its request", async () => {
  const recent = unsettled(Date.now());
  expect(unknownError(recent).unknown).toBe("unstored");
  await saveInput("a", { values: {}, body: {} });
  expect(unknownError(recent).unknown).toBe("response_lost");
  expect(stateOf(recent)).toBe("Outcome unknown");
  const old = unsettled(Date.now() - OLD_MS);
  expect(isRepeatable(old)).toBe(false);
  expect(unknownError(old).unknown).toBe("expired");
});

test("a refused content and warnings are in the words of the provider", () => {
  const error = { reason: "content_refused", message: "No faces; none" };
  expect(failureOf("FAILED", { error })).toEqual({
    code: "content_refused",
    message: "No faces; none",
  });
  expect(failureOf("FAILED", { error: "no" })?.code).toBe("task_failed");
  expect(failureOf("SUCCEEDED", { error })).toBeUndefined();
  expect(warningsOf({ warnings: ["seed was ignored", 7, ""] })).toEqual([
    "seed was ignored",
  ]);
});

test("a gateway that was reached says that the media service is silent, which stays known", () => {
  const error = new MediagateError({ code: "server_error", message: "" });
  const timeout = new MediagateError({ code: "timeout", message: "" });
  expect(silentOf("a", error)).toBe("gateway");
  expect(silentOf("a", timeout)).toBe("gateway");
  const answered = new MediagateError({
    ...error,
    message: "",
    requestId: "1",
  });
  expect(silentOf("a", answered)).toBe("service");
  setReconnecting("a", "service");
  expect(silentOf("a", timeout)).toBe("service");
  expect(silentOf("a", error)).toBe("gateway");
});

test("a read without a response is slow after 15 seconds, until it ends", async () => {
  vi.useFakeTimers();
  let end = (_: Response) => {};
  const read = noticeSlow(
    "/api/app/v1/tasks/a?b",
    () => new Promise<Response>((resolve) => (end = resolve)),
  );
  vi.advanceTimersByTime(14_000);
  expect([...slowReads.value]).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect([...slowReads.value]).toEqual(["a"]);
  end(new Response());
  await read;
  expect([...slowReads.value]).toEqual([]);
});
