import type { ReadonlySignal } from "@preact/signals";
import { CircleStop, CodeXml, Link, Play, RotateCcw } from "lucide";
import { filledValues, priceFor } from "mediagate/forms";
import { formatPrice } from "mediagate/words";
import { useEffect, useRef } from "preact/hooks";
import { type Capability, type Field, prefix } from "../catalogue";
import { showCode } from "../code/CodeDialog";
import { loadModels, models } from "../offers";
import { afterRender } from "../parts/afterRender";
import { copyLink } from "../parts/copyLink";
import { Failure, toShownError } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { Menu } from "../parts/Menu";
import { useSignalChange } from "../parts/useSignalChange";
import { AddStep, addStep } from "../pipelines/AddStep";
import { FORM } from "../route";
import { ASK_AGAIN } from "../words/errors";
import { DropTarget } from "./DropTarget";
import {
  EstimateAction,
  type EstimateState,
  useFormEstimate,
} from "./Estimate";
import { FieldRow, Issues, rootOf } from "./FieldRow";
import { resetForm } from "./fill";
import { linkTo } from "./link";
import { type FormModel, isError, modelOf } from "./model";
import { isOpened } from "./opened";
import { SizeTools } from "./SizeTools";
import { TryExample } from "./TryExample";

/** The optional fields that fine-tune or label. They are behind “Details”. */
const ADVANCED = new Set([
  "negative_prompt",
  "seed",
  "num_inference_steps",
  "guidance_scale",
  "cfg_normalization",
  "cfg_truncation",
  "max_sequence_length",
  "links",
  "model",
  "model_id",
  "title",
]);

const isAdvanced = (field: Field) =>
  ADVANCED.has(field.name) && !field.required;

export function CapabilityForm({ capability }: { capability: Capability }) {
  const model = modelOf(capability);
  const form = useRef<HTMLFormElement>(null);
  useIncrease(model.rejections, () => focusFirstIssue(form.current));
  useEffect(loadModels, []);
  const submit = (event: Event) => {
    event.preventDefault();
    void (model.makesStep.value ? addStep(model) : model.submit());
  };
  const isMoreOpen = isOpened(`more-${capability.name}`);
  const row = (field: Field) => [
    <FieldRow key={field.name} field={field} model={model} />,
    field.name === "height" && <SizeTools key="sizes" model={model} />,
  ];
  return (
    <form
      ref={form}
      id={FORM}
      class="card form"
      // The page's own checks say more than the browser's.
      noValidate
      onSubmit={submit}
      aria-label={capability.title}
    >
      <TryExample model={model} />
      {inOrder(capability.fields.filter((field) => !isAdvanced(field))).map(
        row,
      )}
      <details
        class="more"
        open={isMoreOpen.value}
        onToggle={(event) => (isMoreOpen.value = event.currentTarget.open)}
      >
        <summary>Details</summary>
        <div>
          {capability.fields.filter(isAdvanced).map(row)}
          <p class="facts endpoint">
            <code>
              POST <wbr />
              {prefix}
              {capability.path}
            </code>
          </p>
        </div>
      </details>
      <DropTarget model={model} />
      <OtherIssues model={model} />
      <FormFailure model={model} />
      <Actions model={model} />
    </form>
  );
}

/** Moves the width before the height, which is the usual order of a size. */
function inOrder(fields: readonly Field[]): readonly Field[] {
  const height = fields.findIndex(({ name }) => name === "height");
  const width = fields.findIndex(({ name }) => name === "width");
  const moved = fields[width];
  return moved && height >= 0 && height < width
    ? fields.toSpliced(width, 1).toSpliced(height, 0, moved)
    : fields;
}

function useIncrease(count: ReadonlySignal<number>, act: () => void): void {
  const before = useRef(count.peek());
  useSignalChange(() => {
    if (count.value > before.current) afterRender(act);
    before.current = count.value;
  });
}

function OtherIssues({ model }: { model: FormModel }) {
  const { fields } = model.capability;
  const names = new Set(fields.map((field) => field.name));
  const issues = model.issues.value.filter(
    ({ path }) => !names.has(rootOf(path)),
  );
  return <Issues issues={issues} fields={fields} />;
}

function FormFailure({ model: { failure } }: { model: FormModel }) {
  return failure.value === undefined ? null : (
    <Failure error={toShownError(failure.value)} />
  );
}

function Actions({ model }: { model: FormModel }) {
  const run = useRef<HTMLButtonElement>(null);
  const busy = model.busy.value;
  const count = model.shown.value.filter(isError).length;
  const unsettled = model.unsettled.value;
  const isUnknown =
    !busy && unsettled?.step === "unknown" && unsettled.resumable === true;
  const word = isUnknown ? ASK_AGAIN : "Run";
  const makesStep = model.makesStep.value;
  const estimate = useFormEstimate(model);
  const price = priceFor(model.capability, models.value, model.values.value);
  const cost = busy ? undefined : price && formatPrice(price);
  const busyWord =
    model.unsettled.value?.step === "waiting" ? "Waiting…" : "Starting…";
  const cancel = () => {
    model.cancel();
    // The pressed button goes away and would lose the focus.
    run.current?.focus();
  };
  return (
    <div class="actions">
      {makesStep ? (
        <AddStep model={model} isPrimary />
      ) : (
        <button
          ref={run}
          type="submit"
          class="primary"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          // A button that is disabled would lose the focus.
          aria-disabled={busy}
          aria-describedby={cost && "cost"}
        >
          <Icon icon={isUnknown ? RotateCcw : Play} /> {busy ? busyWord : word}
          {cost && (
            <span id="cost" aria-hidden="true">
              · {cost}
            </span>
          )}
        </button>
      )}
      {busy && (
        <button key="cancel" type="button" class="quiet" onClick={cancel}>
          <Icon icon={CircleStop} size={14} /> Cancel
        </button>
      )}
      {isUnknown && (
        <button
          key="new"
          type="button"
          class="quiet"
          aria-describedby="twice"
          onClick={() => void model.submit({ asNewTask: true })}
        >
          Run as a new task
        </button>
      )}
      {!busy && !makesStep && <AddStep model={model} />}
      <More model={model} estimate={estimate} />
      <p class="tally" role="status">
        {count > 0 && `${count} ${count === 1 ? "error" : "errors"} to correct`}
      </p>
      <p class="facts estimated" role="status">
        {estimate.result}
      </p>
      {isUnknown && (
        <p class="facts" id="twice">
          A new task may cost credits a second time.
        </p>
      )}
    </div>
  );
}

/** The actions that most people need rarely. */
function More({
  model,
  estimate,
}: {
  model: FormModel;
  estimate: EstimateState;
}) {
  const { capability, values } = model;
  if (model.usesStep.value) return <ResetButton model={model} />;
  return (
    <Menu label="More for this form">
      <EstimateAction estimate={estimate} />
      <button
        type="button"
        onClick={() => showCode(capability, filledValues(values.value))}
      >
        <Icon icon={CodeXml} size={14} /> Show the code
      </button>
      <button
        type="button"
        onClick={() => void copyLink(linkTo(capability, values.value))}
      >
        <Icon icon={Link} size={14} /> Copy a link
      </button>
      <ResetButton model={model} />
    </Menu>
  );
}

function ResetButton({ model }: { model: FormModel }) {
  return (
    <button type="button" class="quiet" onClick={() => resetForm(model)}>
      <Icon icon={RotateCcw} size={14} /> Reset
    </button>
  );
}

function focusFirstIssue(form: HTMLFormElement | null): void {
  const marked = [
    ...(form?.querySelectorAll<HTMLElement>("[aria-invalid=true]") ?? []),
  ];
  for (const field of marked)
    field.closest("details")?.setAttribute("open", "");
  // A refusal may come late, when a person is in a menu or a dialog.
  const isElsewhere = document.querySelector(":popover-open, dialog[open]");
  if (!isElsewhere) marked[0]?.focus();
}
