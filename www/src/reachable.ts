/** Tells if the gateway responds, also while no task is watched. */
import { effect, signal } from "@preact/signals";
import { connection } from "./client";
import { online } from "./parts/online";
import { visible } from "./parts/visible";

/** The wait between two checks, in milliseconds. */
const CHECK_MS = 4_000;

/** False from a check without a response to the next one with a response. */
export const reachable = signal(true);

/** Checks the gateway again and again while the page is connected, visible and online. */
export function followGateway(): void {
  effect(() => {
    const isUsed = connection.value === "connected" && visible.value;
    if (!isUsed || !online.value) return;
    const controller = new AbortController();
    void checkUntil(controller.signal);
    return () => controller.abort();
  });
}

async function checkUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isReachable = await check(signal);
    if (signal.aborted) return;
    reachable.value = isReachable;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

/**
 * Returns false if no gateway is there. A response that takes long is waited for: an upload may
 * need all of the line. A proxy in front of a dead gateway responds with 502, 503 or 504.
 */
async function check(signal: AbortSignal): Promise<boolean> {
  try {
    const { status } = await fetch("/healthz", {
      method: "HEAD",
      cache: "no-store",
      signal,
    });
    return status < 500;
  } catch {
    return false;
  }
}
