import { CircleStop, CodeXml, Play } from "lucide";
import { useLayoutEffect, useRef } from "preact/hooks";
import { showPipelineCode } from "../code/CodeDialog";
import { EstimateAction, useEstimate } from "../form/Estimate";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { filesOf } from "../storage";
import { DraftStepItem } from "./DraftStepItem";
import {
  DRAFT_HEADING,
  discardDraft,
  draft,
  isStarting,
  revealing,
  setTitle,
} from "./draft";
import "../style/pipelines.css";
import { estimateDraft } from "./estimate";
import { StartFailure } from "./StartFailure";
import { StartProgress } from "./StartProgress";
import { cancelStart, startDraft } from "./start";

/** The new pipeline on the stage. */
export function DraftCard() {
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(element, () => [
    () => document.querySelector(".stage h2"),
    document.getElementById("tasks-heading"),
  ]);
  const heading = useRef<HTMLHeadingElement>(null);
  const { value: reveal } = revealing;
  useLayoutEffect(() => {
    if (!reveal) return;
    revealing.value = undefined;
    // On a narrow screen it is out of view.
    element.current?.scrollIntoView({ block: "nearest" });
    if (reveal.focus) heading.current?.focus({ preventScroll: true });
  }, [reveal]);
  const { steps, title } = draft.value;
  const estimate = useEstimate({
    estimated: draft,
    files: steps.flatMap(({ values }) => filesOf(values)),
    estimate: estimateDraft,
  });
  const run = useRef<HTMLButtonElement>(null);
  const isBusy = isStarting.value;
  const cancel = () => {
    cancelStart();
    // The pressed button goes away and would lose the focus.
    run.current?.focus();
  };
  return (
    <div ref={element} class="draft">
      <h2 ref={heading} id={DRAFT_HEADING} tabIndex={-1}>
        New pipeline
      </h2>
      <ol aria-label="Steps">
        {steps.map((step, index) => (
          <DraftStepItem
            key={step.name}
            step={step}
            before={steps[index - 1]}
            isFixed={isBusy}
          />
        ))}
      </ol>
      <label>
        <span>
          Title <span class="optional">optional</span>
        </span>
        <input
          type="text"
          dir="auto"
          maxLength={200}
          value={title}
          disabled={isBusy}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      {isBusy ? <StartProgress /> : <StartFailure />}
      <p class="facts" role="status">
        {estimate.result}
      </p>
      <div class="bar">
        <button
          ref={run}
          type="button"
          class="primary"
          aria-disabled={isBusy}
          onClick={() => void startDraft()}
        >
          <Icon icon={Play} />{" "}
          {isBusy
            ? "Starting…"
            : `Run ${steps.length} ${steps.length === 1 ? "step" : "steps"}`}
        </button>
        {isBusy ? (
          <button key="cancel" type="button" class="quiet" onClick={cancel}>
            <Icon icon={CircleStop} size={14} /> Cancel
          </button>
        ) : (
          <button
            key="discard"
            type="button"
            class="quiet"
            onClick={discardDraft}
          >
            Discard
          </button>
        )}
        {!isBusy && <EstimateAction estimate={estimate} />}
        <button
          type="button"
          class="quiet"
          onClick={() => showPipelineCode(draft.value)}
        >
          <Icon icon={CodeXml} size={14} /> Show the code
        </button>
      </div>
    </div>
  );
}
