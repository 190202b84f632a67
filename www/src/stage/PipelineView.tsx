import { useSignal } from "@preact/signals";
import { CircleStop, CodeXml, Copy, Pencil, Play, X } from "lucide";
import type { StepSnapshot } from "mediagate";
import { formatDuration, stateWord, stepWord } from "mediagate/words";
import { useEffect, useRef } from "preact/hooks";
import { showPipelineCode } from "../code/CodeDialog";
import { Failure, type ShownError, toShownError } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { Menu } from "../parts/Menu";
import { useFocusAfter } from "../parts/useFocusAfter";
import { useLoaded } from "../parts/useLoaded";
import { replaceDraft, revealing } from "../pipelines/draft";
import { correctStep } from "../pipelines/edit";
import { fromWords, stepTitle } from "../pipelines/names";
import { removePipeline } from "../pipelines/remove";
import { StepPicture } from "../pipelines/StepPicture";
import { readStarted } from "../pipelines/started";
import {
  cancelPipeline,
  headingOf,
  isRunning,
  keyOf,
  type Pipeline,
  readPipeline,
  resumePipeline,
} from "../pipelines/store";
import type { Draft } from "../storage";
import { now } from "../tasks/now";
import { Reconnecting } from "../tasks/Reconnecting";
import { reconnecting, reconnectNow } from "../tasks/reconnect";
import { findTask } from "../tasks/store";
import { nearHeadings } from "../tasks/TaskButtons";
import { STAGE_HEADING } from "./shown";
import { TaskView } from "./TaskView";
import "../style/pipelines.css";

interface PipelineViewProps {
  pipeline: Pipeline;
  /** The name of the step that is shown large. By default, the page chooses one. */
  step: string | undefined;
  choose(step: string, output?: number): void;
  output: number;
}

/** A pipeline on the stage: its steps as small pictures, and one of them large. */
export function PipelineView({
  pipeline,
  step: name,
  output,
  choose,
}: PipelineViewProps) {
  const { id, state, steps } = pipeline;
  const heading = headingOf(pipeline);
  const { failure, ...actions } = useActions(id);
  const silent = reconnecting.value.get(keyOf(pipeline));
  useEffect(() => {
    // The history lists pipelines without their steps.
    if (!steps) void readPipeline(id).catch(() => undefined);
  }, [steps, id]);
  const built = useLoaded(() => readStarted(id), [id]);
  const large = steps?.find((step) => step.name === name) ?? newestOf(steps);
  return (
    <>
      <header>
        <div class="what">
          <h2 id={STAGE_HEADING} tabIndex={-1} dir="auto">
            {heading}
          </h2>
          <p class="facts">
            {stateWord(state)}
            {countWords(pipeline)} ·{" "}
            <time>{formatDuration(duration(pipeline))}</time>
          </p>
        </div>
        <Buttons {...actions} pipeline={pipeline} />
        <More pipeline={pipeline} built={built} />
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
      {steps && (
        <ol class="steps" aria-label={`Steps of ${heading}`}>
          {steps.map((step, index) => (
            <StepTile
              key={step.name}
              step={step}
              from={fromWords(step.uses, steps[index - 1], steps)}
              isLarge={step === large}
              choose={() => choose(step.name)}
            />
          ))}
        </ol>
      )}
      {steps && large && (
        <LargeStep
          step={large}
          steps={steps}
          output={output}
          choose={(index) => choose(large.name, index)}
        />
      )}
      {steps && pipeline.resumable && (
        <Resume {...actions} steps={steps} built={built} />
      )}
    </>
  );
}

/** Returns the step that a person most likely wants to see: the last that failed, or has a result. */
function newestOf(
  steps: readonly StepSnapshot[] | undefined,
): StepSnapshot | undefined {
  return (
    steps?.findLast(({ state }) => state === "FAILED") ??
    steps?.findLast(({ state }) => state === "SUCCEEDED") ??
    steps?.[0]
  );
}

interface StepTileProps {
  step: StepSnapshot;
  from: string | undefined;
  isLarge: boolean;
  choose(): void;
}

function StepTile({ step, from, isLarge, choose }: StepTileProps) {
  return (
    <li data-state={step.state} data-from={from}>
      <button type="button" aria-current={isLarge} onClick={choose}>
        <StepPicture step={step} />
        <span>{stepTitle(step)}</span>
        <span class="unseen">: {stepWord(step.state)}</span>
      </button>
    </li>
  );
}

interface LargeStepProps {
  step: StepSnapshot;
  steps: readonly StepSnapshot[];
  output: number;
  choose(output: number): void;
}

function LargeStep({ step, steps, output, choose }: LargeStepProps) {
  const entry = findTask(step.taskId ?? "");
  if (entry && entry.removedAt === undefined)
    return (
      <TaskView
        key={entry.key}
        entry={entry}
        output={output}
        chooseOutput={choose}
        isStep
      />
    );
  const error = errorOf(step);
  return (
    <div class="step" data-state={step.state}>
      <h3>{stepTitle(step)}</h3>
      <p class="facts">{stateWords(step, steps)}</p>
      {error && <Failure error={error} />}
    </div>
  );
}

function stateWords(
  { state, uses }: StepSnapshot,
  steps: readonly StepSnapshot[],
): string {
  if (state !== "WAITING") return stepWord(state);
  const open = steps.filter(
    (step) => uses.includes(step.name) && step.state !== "SUCCEEDED",
  );
  return open.length > 0
    ? `Waits for ${open.map(stepTitle).join(", ")}`
    : "Moving the results that it uses";
}

/** Returns the gateway's error of a step without a task. */
function errorOf({ error, taskId }: StepSnapshot): ShownError | undefined {
  if (!error || taskId) return undefined;
  const { reason } = error;
  return {
    code: typeof reason === "string" ? reason : "task_failed",
    message: error.message ?? "The media service gave no reason.",
  };
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
          icon={CircleStop}
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

function More({
  pipeline,
  built,
}: {
  pipeline: Pipeline;
  built: Draft | undefined;
}) {
  if (!built) return null;
  return (
    <Menu label={`More for ${headingOf(pipeline)}`}>
      <button type="button" onClick={() => copy(built)}>
        <Icon icon={Copy} size={14} /> Edit a copy
      </button>
      <button type="button" onClick={() => showPipelineCode(built)}>
        <Icon icon={CodeXml} size={14} /> Show the code
      </button>
    </Menu>
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
}: Omit<ActionsProps, "pipeline"> & {
  steps: readonly StepSnapshot[];
  built: Draft | undefined;
}) {
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(element, (removed) => [
    removed.closest(".stage")?.querySelector(`#${STAGE_HEADING}`),
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
