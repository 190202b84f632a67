import { signal } from "@preact/signals";
import { connect, type Media, type Middleware } from "mediagate";
import { onBack } from "./parts/online";
import { noticeSlow } from "./tasks/slow";

/** The state of the connection. After a failure, `again` is set while the page connects again. */
export type Connection =
  | "connecting"
  | "connected"
  | { failure: unknown; again?: true };

export const connection = signal<Connection>("connecting");

const creates = new Map<string, () => Promise<unknown>>();

/** Runs `work`, and runs `before` ahead of each request that its create with this key sends. */
export async function withCreate<T>(
  key: string,
  before: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  creates.set(key, before);
  try {
    return await work();
  } finally {
    creates.delete(key);
  }
}

const middleware: Middleware = async ({ headers, url }, next) => {
  await creates.get(headers.get("idempotency-key") ?? "")?.();
  return noticeSlow(url, next);
};

let pending: Promise<Media> | undefined;

/** Returns the connected client. Connects at the first call, and again after a failure. */
export function client(): Promise<Media> {
  pending ??= openConnection();
  return pending;
}

/** Drops a client that has failed for good, so that the next call of `client` connects again. */
export function leaveClient(): void {
  pending = undefined;
}

export function reconnect(): void {
  client().catch(() => undefined);
}

onBack(reconnect);

async function openConnection(): Promise<Media> {
  const { value } = connection;
  connection.value =
    typeof value === "object" ? { ...value, again: true } : "connecting";
  try {
    const media = await connect({ url: location.origin, middleware });
    connection.value = "connected";
    return media;
  } catch (failure) {
    pending = undefined;
    connection.value = { failure };
    throw failure;
  }
}
