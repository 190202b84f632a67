/** Buttons for pipelines that are ready to run. A press loads the steps and files. */
import { notify } from "../notices/store";
import { chunk } from "../parts/chunk";
import { replaceDraft, revealing } from "./draft";

const NAMES = ["Product clip", "Talking host", "Cut-downs"] as const;

export type ReadyMadeName = (typeof NAMES)[number];

export function ReadyMade() {
  return (
    <fieldset class="chips ready">
      <legend class="facts">Ready-made pipelines</legend>
      {NAMES.map((name) => (
        <button
          key={name}
          type="button"
          class="chip"
          onClick={() => void begin(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

async function begin(title: ReadyMadeName): Promise<void> {
  try {
    const { readyMadeSteps } = await chunk(() => import("./plans"));
    const steps = await readyMadeSteps(title);
    if (replaceDraft({ title, steps }, `“${title}” is ready to run`))
      revealing.value = { focus: true };
  } catch {
    notify({
      text: "The pipeline could not be loaded. Check your connection, then try again.",
    });
  }
}
