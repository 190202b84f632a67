/** Results that are dragged from the list of tasks: a picture, or the link that opens a result. */
import { loadables } from "../results/output";
import type { Chosen } from "../results/reference";
import { entries } from "../tasks/store";

/** Returns the result whose URL is dropped; `undefined` for anything else. */
export function resultIn(transfer: DataTransfer | null): Chosen | undefined {
  const [url] = transfer?.getData("text/uri-list").split(/\r?\n/) ?? [];
  if (!url) return undefined;
  const found = entries.value
    .flatMap(loadables)
    .find((output) => output.url === url);
  return found?.reference && { ...found.reference };
}
