import { signal } from "@preact/signals";
import { connect, type Media } from "mediagate";
import { backOrAfter, onBack } from "./parts/online";
import { noticeSlow } from "./tasks/slow";

/** The state of the connection. After a failure, `again` is set while the page connects again. */
export type Connection =
  | "connecting"
  | "connected"
  | { failure: unknown; again?: true };

/** The wait before the page connects again after its client has failed, in milliseconds. */
const CONNECT_MS = 5_000;

export const connection = signal<Connection>("connecting");

/** The connected client; `undefined` until it is connected, and after it has crashed. */
export const connected = signal<Media | undefined>(undefined);

let pending: Promise<Media> | undefined;

/** Returns the connected client. Connects at the first call, and again after a failure. */
export function client(): Promise<Media> {
  pending ??= openConnection();
  return pending;
}

/** Drops a client that has failed for good, and connects again. */
export async function leaveClient(media: Media): Promise<void> {
  if (connected.value !== media) return;
  pending = undefined;
  connected.value = undefined;
  while (!connected.value) {
    await client().catch(() => undefined);
    if (!connected.value) await backOrAfter(CONNECT_MS);
  }
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
    const media = await connect({
      url: location.origin,
      middleware: ({ url }, next) => noticeSlow(url, next),
    });
    connected.value = media;
    connection.value = "connected";
    return media;
  } catch (failure) {
    pending = undefined;
    connection.value = { failure };
    throw failure;
  }
}
