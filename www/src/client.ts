/** The page's connection to the gateway that served it, with an anonymous session. */
import { signal } from "@preact/signals";
import { connect, type Media, type Middleware } from "mediagate";
import { onBack } from "./parts/online";

/** The state of the connection; after a failure, `again` is set while the page connects again. */
export type Connection =
  | "connecting"
  | "connected"
  | { failure: unknown; again?: true };

export const connection = signal<Connection>("connecting");

/** What is to be done before a create is sent, by its key. */
const creates = new Map<string, () => Promise<unknown>>();

/** Does the work, and what is to be done before each request of the create with this key. */
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

const middleware: Middleware = async ({ headers }, next) => {
  await creates.get(headers.get("idempotency-key") ?? "")?.();
  return next();
};

let pending: Promise<Media> | undefined;

/** The connected client; connects at the first call, and again after a failure. */
export function client(): Promise<Media> {
  pending ??= openConnection();
  return pending;
}

/** Leaves a client that has failed for good: the next call connects again. */
export function leaveClient(): void {
  pending = undefined;
}

/** Tests if the session is anonymous: the token that the client stores has such a subject. */
export function isAnonymous(): boolean {
  try {
    const stored = localStorage.getItem(`mediagate:${location.origin}`) ?? "";
    const [, claims = ""] = JSON.parse(stored).token.split(".");
    const json = atob(claims.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(json).sub.startsWith("anon:");
  } catch {
    // The browser stores nothing. The gateway's response to a request says it then.
    return false;
  }
}

/** Connects if the page is not connected. A failure is shown by the page; see `connection`. */
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
