import { vi } from "vitest";

vi.setConfig({ testTimeout: 60_000 });

/** Waits until a check passes, which takes seconds on a busy machine. */
export function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, 30_000);
}
