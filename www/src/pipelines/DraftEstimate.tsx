/** The estimate of the new pipeline's cost. */
import { EstimateButton } from "../form/Estimate";
import { filesOf } from "../storage";
import { draft } from "./draft";
import { estimateDraft } from "./estimate";

export function DraftEstimate() {
  const files = draft.value.steps.flatMap(({ values }) => filesOf(values));
  return (
    <EstimateButton estimated={draft} files={files} estimate={estimateDraft} />
  );
}
