/** How far the start of a pipeline is: its files, then its request. */
import { FilesProgress } from "../form/FilesProgress";
import { filesOf } from "../storage";
import { draft } from "./draft";

export function StartProgress() {
  const { steps, sent } = draft.value;
  const files = sent ? [] : steps.flatMap(({ values }) => filesOf(values));
  return <FilesProgress files={files} label="Progress of the start" />;
}
