import { useObjectUrl } from "../parts/useObjectUrl";
import { findTask } from "../tasks/store";
import {
  type Address,
  type Chosen,
  isAddress,
  isRunning,
  isStep,
  type Reference,
  webUrl,
} from "./reference";

/**
 * Returns the newest URL of a result, which may have expired; `undefined` for a task without a
 * result, and for an address of another origin, which the page's policy does not let it load.
 */
export function urlOf(reference: Reference | Address): string | undefined {
  if (isStep(reference)) return undefined;
  if (isAddress(reference)) return ownUrl(reference.url);
  if (!isRunning(reference)) {
    const { taskId, output, url } = reference;
    return webUrl(findTask(taskId)?.outputs[output]?.url) ?? webUrl(url);
  }
  return webUrl(
    findTask(reference.id)?.outputs.find(
      ({ kind }) => !kind || kind === reference.kind,
    )?.url,
  );
}

function ownUrl(address: string): string | undefined {
  const { origin, href } = new URL(address, location.href);
  return origin === location.origin ? href : undefined;
}

/** Returns a URL that shows a file or a result; `undefined` for a result without a URL. */
export function useChosenUrl(chosen: Chosen | undefined): string | undefined {
  const own = useObjectUrl(chosen instanceof File ? chosen : undefined);
  return chosen && !(chosen instanceof File) ? urlOf(chosen) : own;
}
