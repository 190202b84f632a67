import { signal } from "@preact/signals";

export const online = signal(navigator.onLine);

addEventListener("online", () => (online.value = true));
addEventListener("offline", () => (online.value = false));

/** Calls `act` each time the network is back. Returns a function that ends it. */
export function onBack(act: () => void): () => void {
  addEventListener("online", act);
  return () => removeEventListener("online", act);
}

/** Waits until the network is back, or for `milliseconds` if the device is online. */
export function backOrAfter(milliseconds: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = onBack(() => finish());
    const finish = () => {
      end();
      resolve();
    };
    if (milliseconds !== undefined && online.value)
      setTimeout(finish, milliseconds);
  });
}
