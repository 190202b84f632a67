/** The words for states of tasks, steps and pipelines: a state has the same word wherever it is shown. */
import { sentence } from ".";

/** Every state is a word of the media service or the gateway; one in another form is shown as it is. */
export function stateWord(state: string): string {
  if (state === "SUCCEEDED") return "Done";
  return /^[A-Z_]+$/.test(state) ? sentence(state) : state;
}
