/** Where to load results that are chosen as inputs. */
import { findTask } from "../tasks/store";
import { isRunning, isStep, type Reference, webUrl } from "./reference";

/** The newest URL that the page knows; `undefined` for a task without a result. It may have expired. */
export function urlOf(reference: Reference): string | undefined {
  if (isStep(reference)) return undefined;
  if (!isRunning(reference)) {
    const { taskId, output, url } = reference;
    return webUrl(findTask(taskId)?.outputs[output]?.url) ?? webUrl(url);
  }
  return webUrl(
    findTask(reference.id)?.outputs.find(
      (it) => !it.kind || it.kind === reference.kind,
    )?.url,
  );
}
