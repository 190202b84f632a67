/** A pipeline that was started: how far its steps are, their tasks, and what can be done to it. */
import { useSignal } from "@preact/signals";
import { ChevronDown, Play, Square, Workflow, X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { Failure, toShownError } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { now } from "../tasks/now";
import { Reconnecting } from "../tasks/Reconnecting";
import { reconnecting, reconnectNow } from "../tasks/reconnect";
import { StateIcon } from "../tasks/StateIcon";
import { IconButton } from "../tasks/TaskButtons";
import { elapsed } from "../words";
import { removePipeline } from "./remove";
import { StepItem } from "./StepItem";
import {
  cancelPipeline,
  followPipeline,
  headingOf,
  isRunning,
  keyOf,
  type Pipeline,
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
  const isReconnecting = reconnecting.value.has(keyOf(pipeline));
  useEffect(() => {
    if (open && !steps) followPipeline(id);
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
            <Icon of={Workflow} size={20} />
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
              {heading} <Icon of={ChevronDown} size={14} />
            </button>
          </h3>
          <p class="facts">
            <span role="status">
              {state}
              {isReconnecting && " · reconnecting"}
            </span>
            {countWords(pipeline)} · <time>{elapsed(duration(pipeline))}</time>
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
      {isReconnecting && (
        <Reconnecting
          what="pipeline"
          again={() => reconnectNow(keyOf(pipeline))}
        />
      )}
      {pipeline.failure && <Failure of={pipeline.failure} />}
      {failure !== undefined && <Failure of={toShownError(failure)} />}
      <div id={body} class="body" hidden={!open}>
        {open && steps && (
          <ol class="steps" aria-label={`Steps of ${heading}`}>
            {steps.map((it, index) => (
              <StepItem
                key={it.name}
                step={it}
                steps={steps}
                newest={index === steps.length - 1}
              />
            ))}
          </ol>
        )}
        {open && pipeline.resumable && (
          <Resume {...actions} pipeline={pipeline} />
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
          of={Square}
          title="Stop what is not sent yet"
          label={`Stop ${heading}`}
          press={() => act(cancelPipeline)}
        />
      ) : (
        <IconButton
          key="remove"
          of={X}
          title="Remove from the list"
          label={`Remove ${heading}`}
          press={() => void removePipeline(pipeline)}
        />
      )}
    </div>
  );
}

function Resume({ isBusy, act }: ActionsProps) {
  const element = useRef<HTMLDivElement>(null);
  useFocusAfter(element, (it) => [
    it.closest(".pipeline")?.querySelector("[aria-controls]"),
  ]);
  return (
    <div ref={element} class="bar">
      <button
        type="button"
        class="small"
        aria-disabled={isBusy}
        onClick={() => act(resumePipeline)}
      >
        <Icon of={Play} size={14} /> {isBusy ? "Resuming…" : "Resume"}
      </button>
      <span class="facts">Steps that succeeded are not run again.</span>
    </div>
  );
}

/** Does one thing at a time to a pipeline, and keeps why the last one failed. */
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
  return ` · ${steps.filter((it) => it.state === "SUCCEEDED").length} of ${steps.length} steps`;
}

/** From 0 to 1, each step as much as another; `undefined` before they are known. */
function shareDone({ steps }: Pipeline): number | undefined {
  if (!steps) return undefined;
  const shares = steps.map(({ state, progress }) =>
    state === "SUCCEEDED" ? 1 : (progress ?? 0),
  );
  return shares.reduce((sum, it) => sum + it, 0) / Math.max(shares.length, 1);
}

/** Milliseconds until its end, or until now. */
function duration({ createdAt, endedAt }: Pipeline): number {
  return (
    (endedAt === undefined ? now.value : Date.parse(endedAt)) -
    Date.parse(createdAt)
  );
}
