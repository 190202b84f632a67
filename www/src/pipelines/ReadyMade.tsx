/** Buttons that begin a pipeline that is ready to run; its steps and files are loaded for it. */
import { notify } from "../notices/store";
import { chunk } from "../parts/chunk";
import { replaceDraft, revealing } from "./draft";

const NAMES = ["Product clip", "Talking host", "Cut-downs"] as const;

export type ReadyMadeName = (typeof NAMES)[number];

export function ReadyMade() {
  return (
    <fieldset class="chips ready">
      <legend class="facts">Ready-made pipelines</legend>
      {NAMES.map((it) => (
        <button
          key={it}
          type="button"
          class="chip"
          onClick={() => void begin(it)}
        >
          {it}
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
