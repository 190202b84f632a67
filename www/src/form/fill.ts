/** Replaces the values of a form. Each notice offers to bring the previous values back. */
import { effect } from "@preact/signals";
import type { Capability, Field } from "../catalogue";
import { notify, notifyUndo, reword, type ShownNotice } from "../notices/store";
import { chunk } from "../parts/chunk";
import { newKey } from "../parts/newKey";
import { type Chosen, stepsIn } from "../results/reference";
import { go } from "../route";
import type { Values } from "../storage";
import { isSent } from "../tasks/entry";
import { findEntry } from "../tasks/store";
import { type FormModel, modelOf } from "./model";

export function fillForm(
  capability: Capability,
  values: Values,
  heading: string,
): void {
  replace(capability, `Filled the form from “${heading}”`, (model) =>
    model.restore(values),
  );
  go(capability);
}

export function addFile(
  capability: Capability,
  field: Field,
  file: Chosen,
): void {
  replace(capability, `Put “${file.name}” into the form`, (model) =>
    model.add(field, file),
  );
  go(capability);
}

export function addAsset(
  capability: Capability,
  field: Field,
  id: string,
): void {
  replace(capability, "Put the asset into the form", (model) =>
    model.set(field.name, id),
  );
  go(capability);
}

/** Fills in an example, and runs it unless the form makes a step of the new pipeline. */
export async function tryExample(model: FormModel): Promise<void> {
  let values: Values;
  try {
    const { exampleOf } = await chunk(() => import("../examples"));
    values = await exampleOf(model.capability);
  } catch {
    notify({
      text: "The example could not be loaded. Check your connection, then try again.",
    });
    return;
  }
  if (model.makesStep.value) fillStep(model, values);
  else await runExample(model, values);
}

/** Fills in the fields that use no other step. */
function fillStep(model: FormModel, example: Values): void {
  const { value: before } = model.values;
  const used = Object.entries(before).filter(
    ([, value]) => stepsIn(value).length > 0,
  );
  model.fill({ ...example, ...Object.fromEntries(used) });
  notifyUndo("Filled the step with an example", () => {
    model.fill(before);
    go(model.capability);
  });
}

async function runExample(model: FormModel, example: Values): Promise<void> {
  const key = newKey();
  const text = "Filled the form with an example";
  const notice = replace(
    model.capability,
    text,
    () => model.restore(example),
    () => model.takeBack(key),
  );
  const stop = effect(() =>
    reword(
      notice,
      isSent(findEntry(key))
        ? `${text}. Its task was sent, so Undo brings back only the form.`
        : text,
    ),
  );
  await model.submit({ key });
  stop();
}

export function resetForm(model: FormModel): void {
  replace(model.capability, "Reset the form", () => model.reset());
}

function replace(
  capability: Capability,
  text: string,
  change: (model: FormModel) => void,
  takeBack?: () => void,
): ShownNotice {
  const model = modelOf(capability);
  const before = model.values.value;
  change(model);
  return notifyUndo(text, () => {
    takeBack?.();
    model.restore(before);
    go(capability);
  });
}
