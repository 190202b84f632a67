import { useSignal } from "@preact/signals";
import { Sparkles } from "lucide";
import { priceFor } from "mediagate/forms";
import { formatPrice } from "mediagate/words";
import type { Capability } from "../catalogue";
import { exampleValues } from "../examples/values";
import { markOf, models, worker } from "../offers";
import { Icon } from "../parts/Icon";
import { tryExample } from "./fill";
import type { FormModel } from "./model";

export function TryExample({ model }: { model: FormModel }) {
  const loading = useSignal(false);
  const isBusy = loading.value || model.busy.value;
  const start = async () => {
    if (isBusy) return;
    loading.value = true;
    await tryExample(model);
    loading.value = false;
  };
  return (
    <div class="example">
      <button
        type="button"
        aria-disabled={isBusy}
        aria-describedby="example-note"
        onClick={() => void start()}
      >
        <Icon icon={Sparkles} size={14} /> Try an example
      </button>
      <span class="facts" id="example-note">
        {model.makesStep.value
          ? "It fills in this step."
          : `It fills in this form and runs it${costOf(model.capability)}.`}
      </span>
    </div>
  );
}

/** Returns the end of a sentence; empty until the models are loaded. */
function costOf(capability: Capability): string {
  if (worker.value === undefined) return "";
  if (worker.value === "emulator" || markOf(capability) === "emulator")
    return ". The emulator charges nothing";
  const price = priceFor(capability, models.value, exampleValues(capability));
  return price ? `, for ${formatPrice(price)}` : ", which may cost credits";
}
