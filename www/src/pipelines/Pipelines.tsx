/** The new pipeline, and the started ones. Always there, since the list follows its height. */
import { useSignal } from "@preact/signals";
import { useChunk } from "../parts/useLoaded";
import { draft } from "./draft";
import { ReadyMade } from "./ReadyMade";
import { pipelines } from "./store";

export function Pipelines() {
  // The part stays after the last pipeline, so that the cards keep their state.
  const isNeeded = useSignal(false);
  if (draft.value.steps.length + pipelines.value.length > 0)
    isNeeded.value = true;
  const part = useChunk(() => import("./Cards"), isNeeded.value);
  return (
    <div class="pipelines">
      {draft.value.steps.length === 0 && <ReadyMade />}
      {part && <part.Cards />}
    </div>
  );
}
