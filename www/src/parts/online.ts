/** Whether the device has a network. */
import { signal } from "@preact/signals";

export const online = signal(navigator.onLine);

addEventListener("online", () => (online.value = true));
addEventListener("offline", () => (online.value = false));

/** Calls back each time that the network is back; returns what ends that. */
export function onBack(act: () => void): () => void {
  addEventListener("online", act);
  return () => removeEventListener("online", act);
}

/** Waits until the network is back, and no longer than some milliseconds while there is one. */
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
