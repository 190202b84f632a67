/** The new pipeline, and the started ones. Always there, since the list follows its height. */
import { useSignal } from "@preact/signals";
import { chunk } from "../parts/chunk";
import { useLoaded } from "../parts/useLoaded";
import { draft } from "./draft";
import { ReadyMade } from "./ReadyMade";
import { pipelines } from "./store";

export function Pipelines() {
  // The part stays after the last pipeline, so that the cards keep their state.
  const isNeeded = useSignal(false);
  if (draft.value.steps.length + pipelines.value.length > 0)
    isNeeded.value = true;
  const part = useLoaded(
    async () =>
      isNeeded.value ? await chunk(() => import("./Cards")) : undefined,
    [isNeeded.value],
  );
  return (
    <div class="pipelines">
      {draft.value.steps.length === 0 && <ReadyMade />}
      {part && <part.Cards />}
    </div>
  );
}
