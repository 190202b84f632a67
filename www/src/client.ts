/** The page's connection to the gateway that served it, with an anonymous session. */
import { signal } from "@preact/signals";
import { connect, type Media } from "mediagate";

/** The state of the connection. */
export const connection = signal<"connecting" | "connected" | { failure: unknown }>("connecting");

let pending: Promise<Media> | undefined;

/** The connected client; connects at the first call, and again after a failure. */
export function client(): Promise<Media> {
  pending ??= openConnection();
  return pending;
}

async function openConnection(): Promise<Media> {
  connection.value = "connecting";
  try {
    const media = await connect({ url: location.origin });
    connection.value = "connected";
    return media;
  } catch (failure) {
    pending = undefined;
    connection.value = { failure };
    throw failure;
  }
}
