/** A notice of a task that was refused, for a person who does not see its form. */
import { toShownError } from "../parts/Failure";
import { describeCode } from "../words/errors";
import { notify } from "./store";

export function notifyRefusal(
  heading: string,
  failure: unknown,
  showForm: () => void,
): void {
  const { code, message } = toShownError(failure);
  if (code === "aborted") return;
  notify({
    text: `“${heading}” was not created, and costs nothing. ${describeCode(code).heading}: ${message}`,
    action: { label: "Show the form", act: showForm },
  });
}
