// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { MediagateError } from "mediagate";
import { afterEach, expect, test, vi } from "vitest";
import { setReconnecting, silentOf } from "../src/tasks/reconnect";
import { notesOf, textsIn } from "../src/tasks/record";
import { noticeSlow, slowReads } from "../src/tasks/slow";

afterEach(() => {
  vi.useRealTimers();
});

test("the members of a record that the client does not read have the promised types", () => {
  expect(textsIn(["seed was ignored", 7, ""])).toEqual(["seed was ignored"]);
  expect(textsIn("seed was ignored")).toEqual([]);
  expect(notesOf({})).toBeUndefined();
  expect(notesOf({ emulated: {} })).toEqual([]);
  expect(notesOf({ emulated: { notes: ["a sample", 7] } })).toEqual([
    "a sample",
    null,
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
