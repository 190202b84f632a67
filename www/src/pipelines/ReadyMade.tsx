/** Buttons for pipelines that are ready to run. A press loads the steps and files. */
import { notify } from "../notices/store";
import { findOffered } from "../offers";
import { chunk } from "../parts/chunk";
import { replaceDraft, revealing } from "./draft";
import { PLANS, type ReadyMadeName } from "./readyMadePlans";

const NAMES = Object.keys(PLANS) as ReadyMadeName[];

export function ReadyMade() {
  // A pipeline is offered if the gateway offers each of its steps.
  const names = NAMES.filter((name) =>
    PLANS[name].every(({ capability }) => findOffered(capability)),
  );
  if (names.length === 0) return null;
  return (
    <fieldset class="chips ready">
      <legend class="facts">Ready-made pipelines</legend>
      {names.map((name) => (
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
