// @vitest-environment happy-dom
// The checks of the gateway, by which the page notices that it is dead while no task is watched.
import { signal } from "@preact/signals";
import { expect, test, vi } from "vitest";
import { online } from "../src/parts/online";
import { visible } from "../src/parts/visible";
import { followGateway, reachable } from "../src/reachable";

const client = vi.hoisted(() => ({ connection: undefined as unknown }));
const connection = signal("connecting");
client.connection = connection;
vi.mock("../src/client", () => client);

test("a dead gateway is noticed within 5 seconds while the page is seen, and its return too", async () => {
  vi.useFakeTimers();
  const answer = vi.fn(async (_: string) => ({ status: 200 }));
  vi.stubGlobal("fetch", answer);
  const pass = (seconds: number) =>
    vi.advanceTimersByTimeAsync(1_000 * seconds);
  const dies = () =>
    answer.mockImplementation(() => Promise.reject(new TypeError("refused")));
  followGateway();
  await pass(60);
  expect(answer).not.toHaveBeenCalled();
  connection.value = "connected";
  await pass(60);
  expect(answer.mock.calls.length).toBeLessThanOrEqual(16);
  expect(answer.mock.lastCall?.[0]).toBe("/healthz");
  expect(reachable.value).toBe(true);

  dies();
  await pass(5);
  expect(reachable.value).toBe(false);
  // A proxy before a dead gateway, and a gateway that is busy.
  answer.mockImplementation(async () => ({ status: 429 }));
  await pass(5);
  expect(reachable.value).toBe(true);
  answer.mockImplementation(async () => ({ status: 502 }));
  await pass(5);
  expect(reachable.value).toBe(false);

  for (const state of [visible, online]) {
    state.value = false;
    await pass(5);
    answer.mockClear();
    await pass(60);
    expect(answer).not.toHaveBeenCalled();
    state.value = true;
    await pass(1);
    expect(answer).toHaveBeenCalledOnce();
  }
});

test("a response that takes long is no sign of a dead gateway", async () => {
  vi.useFakeTimers();
  const pending = vi.fn(() => new Promise(() => {}));
  vi.stubGlobal("fetch", async () => ({ status: 200 }));
  connection.value = "connected";
  followGateway();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reachable.value).toBe(true);
  vi.stubGlobal("fetch", pending);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pending).toHaveBeenCalled();
  expect(reachable.value).toBe(true);
});
