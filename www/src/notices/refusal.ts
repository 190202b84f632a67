/** The notice of a refused task, for a person who does not see its form. */
import { toShownError } from "../parts/Failure";
import { describeCode } from "../words/errors";
import { notify } from "./store";

export function notifyRefusal(
  heading: string,
  failure: unknown,
  showForm: () => void,
): void {
  const { code, message } = toShownError(failure);
  // The person has cancelled the task.
  if (code === "aborted") return;
  const reason = `${describeCode(code).heading}: ${message}`;
  notify({
    text: `“${heading}” was not created, and costs nothing. ${reason}`,
    action: { label: "Show the form", act: showForm },
  });
}
