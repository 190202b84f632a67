/** The notice of a refused task, for a person who does not see its form. */
import { toShownError } from "../parts/Failure";
import { notify } from "./store";

export function notifyRefusal(
  heading: string,
  failure: unknown,
  showForm: () => void,
): void {
  const { code, heading: what, message } = toShownError(failure);
  // The person has cancelled the task.
  if (code === "aborted") return;
  const reason = message ? `${what}. ${message}` : `${what}.`;
  notify({
    text: `“${heading}” was not created, and costs nothing. ${reason}`,
    action: { label: "Show the form", act: showForm },
  });
}
