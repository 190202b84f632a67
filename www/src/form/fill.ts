/** Replaces the values of a form. Each notice offers to bring the previous values back. */
import type { Capability, Field } from "../catalogue";
import { notify, notifyUndo } from "../notices/store";
import { chunk } from "../parts/chunk";
import type { Chosen } from "../results/reference";
import { go } from "../route";
import type { Values } from "../storage";
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
  replace(model.capability, "Filled the form with an example", () =>
    model.restore(values),
  );
  await model.submit();
}

export function resetForm(model: FormModel): void {
  replace(model.capability, "Reset the form", () => model.reset());
}

function replace(
  capability: Capability,
  text: string,
  change: (model: FormModel) => void,
): void {
  const model = modelOf(capability);
  const before = model.values.value;
  change(model);
  notifyUndo(text, () => {
    model.restore(before);
    go(capability);
  });
}
