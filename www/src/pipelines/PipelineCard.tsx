import { useSignal } from "@preact/signals";
import {
  ChevronDown,
  CodeXml,
  Copy,
  Pencil,
  Play,
  Square,
  Workflow,
  X,
} from "lucide";
import type { StepSnapshot } from "mediagate";
import { formatDuration, stateWord } from "mediagate/words";
import { useEffect, useRef } from "preact/hooks";
import { showPipelineCode } from "../code/CodeDialog";
import { Failure, toShownError } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { useFocusAfter } from "../parts/useFocusAfter";
import { useLoaded } from "../parts/useLoaded";
import type { Draft } from "../storage";
import { now } from "../tasks/now";
import { Reconnecting } from "../tasks/Reconnecting";
import { reconnecting, reconnectNow } from "../tasks/reconnect";
import { StateIcon } from "../tasks/StateIcon";
import { nearHeadings } from "../tasks/TaskButtons";
import { replaceDraft, revealing } from "./draft";
import { correctStep } from "./edit";
import { Flow } from "./Flow";
import { stepTitle } from "./names";
import { removePipeline } from "./remove";
import { StepItem } from "./StepItem";
import { readStarted } from "./started";
import {
  cancelPipeline,
  headingOf,
  isRunning,
  keyOf,
  type Pipeline,
  readPipeline,
  resumePipeline,
} from "./store";

export function PipelineCard({
  pipeline,
  newest,
}: {
  pipeline: Pipeline;
  newest: boolean;
}) {
  const { id, state, steps } = pipeline;
  const chosen = useSignal<boolean | undefined>(undefined);
  const open = chosen.value ?? newest;
  const heading = headingOf(pipeline);
  const body = `pipeline-${id}`;
  const { failure, ...actions } = useActions(id);
  const silent = reconnecting.value.get(keyOf(pipeline));
  useEffect(() => {
    // The history lists pipelines without their steps.
    if (open && !steps) void readPipeline(id).catch(() => undefined);
  }, [open, steps, id]);
  return (
    <li
      class="card task pipeline"
      data-state={state}
      data-pipeline={id}
      data-open={open}
    >
      <header>
        <span class="picture">
          <span class="thumbnail">
            <Icon icon={Workflow} size={20} />
          </span>
          <StateIcon state={state} />
        </span>
        <div class="what">
          <h3>
            <button
              type="button"
              aria-expanded={open}
              aria-controls={body}
              onClick={() => (chosen.value = !open)}
            >
              {heading} <Icon icon={ChevronDown} size={14} />
            </button>
          </h3>
          <p class="facts">
            <span role="status">
              <span class="unseen">{heading}: </span>
              {stateWord(state)}
              {silent && " · reconnecting"}
            </span>
            {countWords(pipeline)} ·{" "}
            <time>{formatDuration(duration(pipeline))}</time>
          </p>
        </div>
        <Buttons {...actions} pipeline={pipeline} />
      </header>
      {isRunning(pipeline) && (
        <progress
          value={shareDone(pipeline)}
          aria-label={`Progress of ${heading}`}
        />
      )}
      {silent && (
        <Reconnecting
          what="pipeline"
          silent={silent}
          again={() => reconnectNow(keyOf(pipeline))}
        />
      )}
      {pipeline.failure && <Failure error={pipeline.failure} />}
      {failure !== undefined && <Failure error={toShownError(failure)} />}
      {!open && steps && <Flow heading={heading} steps={steps} />}
      <div id={body} class="body" hidden={!open}>
        {open && steps && (
          <ol class="steps" aria-label={`Steps of ${heading}`}>
            {steps.map((step, index) => (
              <StepItem
                key={step.name}
                step={step}
                before={steps[index - 1]}
                steps={steps}
                newest={index === steps.length - 1}
              />
            ))}
          </ol>
        )}
        {open && steps && (
          <More {...actions} pipeline={pipeline} steps={steps} />
        )}
      </div>
    </li>
  );
}

interface ActionsProps {
  pipeline: Pipeline;
  isBusy: boolean;
  act(work: (id: string) => Promise<void>): void;
}

function Buttons({ pipeline, act }: ActionsProps) {
  const heading = headingOf(pipeline);
  return (
    <div class="buttons">
      {isRunning(pipeline) && !pipeline.failure ? (
        <IconButton
          key="stop"
          icon={Square}
          title="Stop what is not sent yet"
          label={`Stop ${heading}`}
          next={nearHeadings}
          onClick={() => act(cancelPipeline)}
        />
      ) : (
        <IconButton
          key="remove"
          icon={X}
          title="Remove from the list"
          label={`Remove ${heading}`}
          next={nearHeadings}
          onClick={() => void removePipeline(pipeline)}
        />
      )}
    </div>
  );
}

interface MoreProps extends ActionsProps {
  steps: readonly StepSnapshot[];
}

function More({ pipeline, steps, ...actions }: MoreProps) {
  const built = useLoaded(() => readStarted(pipeline.id), [pipeline.id]);
  return (
    <>
      {pipeline.resumable && (
        <Resume {...actions} steps={steps} built={built} />
      )}
      {built && (
        <div class="bar">
          <button type="button" class="quiet small" onClick={() => copy(built)}>
            <Icon icon={Copy} size={14} /> Edit a copy
          </button>
          <button
            type="button"
            class="quiet small"
            onClick={() => showPipelineCode(built)}
          >
            <Icon icon={CodeXml} size={14} /> Show the code
          </button>
        </div>
      )}
    </>
  );
}

function copy(built: Draft): void {
  if (replaceDraft(built, "Copied the pipeline. Edit its steps, then run it."))
    revealing.value = { focus: true };
}

function Resume({
  steps,
  built,
  isBusy,
  act,
}: Omit<MoreProps, "pipeline"> & { built: Draft | undefined }) {
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(element, (removed) => [
    removed.closest(".pipeline")?.querySelector("[aria-controls]"),
  ]);
  const failed = steps.find(({ state }) => state === "FAILED");
  return (
    <div ref={element} class="bar">
      <button
        type="button"
        class="small"
        aria-disabled={isBusy}
        onClick={() => act(resumePipeline)}
      >
        <Icon icon={Play} size={14} /> {isBusy ? "Resuming…" : "Resume"}
      </button>
      {built && failed && (
        <button
          type="button"
          class="small"
          onClick={() => correctStep(built, steps, failed)}
        >
          <Icon icon={Pencil} size={14} /> Correct {stepTitle(failed)}
        </button>
      )}
      <span class="facts">
        Resume sends the same inputs again.{" "}
        {built &&
          failed &&
          "A correction makes a new pipeline of what is left, with the finished results. "}
        Steps that succeeded are not run again.
      </span>
    </div>
  );
}

/** Runs one action on a pipeline at a time, and keeps the failure of the last one. */
function useActions(id: string) {
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const act = async (work: (id: string) => Promise<void>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    await work(id).catch((error: unknown) => (failure.value = error));
    isBusy.value = false;
  };
  return {
    isBusy: isBusy.value,
    failure: failure.value,
    act: (work: (id: string) => Promise<void>) => void act(work),
  };
}

function countWords({ steps }: Pipeline): string {
  if (!steps) return "";
  const succeeded = steps.filter(({ state }) => state === "SUCCEEDED");
  return ` · ${succeeded.length} of ${steps.length} steps`;
}

function shareDone({ steps }: Pipeline): number | undefined {
  if (!steps) return undefined;
  const shares = steps.map(({ state, progress }) =>
    state === "SUCCEEDED" ? 1 : (progress ?? 0),
  );
  const total = shares.reduce((sum, share) => sum + share, 0);
  return total / Math.max(shares.length, 1);
}

function duration({ createdAt, endedAt }: Pipeline): number {
  const end = endedAt === undefined ? now.value : Date.parse(endedAt);
  return end - Date.parse(createdAt);
}
