/** The stage: one thing, large. */
import { useSignal } from "@preact/signals";
import { ChevronLeft, ChevronRight, Maximize2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../parts/Dialog";
import { IconButton } from "../parts/IconButton";
import { useChunk } from "../parts/useLoaded";
import { wide } from "../parts/wide";
import { DRAFT_HEADING } from "../pipelines/draft";
import { LoadAgain } from "../results/LoadAgain";
import { Player } from "../results/Player";
import { useResult } from "../results/useResult";
import { ExampleView } from "./ExampleView";
import { LinkedView } from "./LinkedView";
import {
  choose,
  itemsOf,
  keyOf,
  listedTasks,
  revealed,
  type Shown,
  STAGE_HEADING,
  type StageItem,
  shown,
} from "./shown";
import { TaskView } from "./TaskView";
import "../style/stage.css";

export function Stage() {
  const stage = useRef<HTMLElement>(null);
  useEffect(() => {
    if (revealed.value) scrollToStage(stage.current, revealed.value.isAsked);
  }, [revealed.value]);
  const { value: thing } = shown;
  if (!thing) return null;
  return (
    <section
      ref={stage}
      class="card stage"
      data-shows={thing.kind}
      aria-labelledby={thing.kind === "draft" ? DRAFT_HEADING : STAGE_HEADING}
    >
      <View key={keyOf(thing)} thing={thing} />
      {thing.kind === "task" && (
        <Enlarge
          item={itemsOf(thing.entry).find(
            ({ choice }) => choice.output === thing.output,
          )}
        />
      )}
    </section>
  );
}

function View({ thing }: { thing: Shown }) {
  switch (thing.kind) {
    case "task": {
      const { key } = thing.entry;
      return (
        <TaskView
          entry={thing.entry}
          output={thing.output}
          chooseOutput={(output) => choose({ kind: "task", key, output })}
        />
      );
    }
    case "pipeline":
      return <PipelinePart thing={thing} />;
    case "draft":
      return <DraftPart />;
    case "linked":
      return <LinkedView result={thing.result} />;
    case "example":
      return <ExampleView capability={thing.capability} />;
  }
}

function PipelinePart({ thing }: { thing: Shown & { kind: "pipeline" } }) {
  const part = useChunk(() => import("./PipelineView"));
  const { id } = thing.pipeline;
  return part ? (
    <part.PipelineView
      pipeline={thing.pipeline}
      step={thing.step}
      output={thing.output}
      choose={(step, output = 0) =>
        choose({ kind: "pipeline", id, step, output })
      }
    />
  ) : null;
}

function DraftPart() {
  const part = useChunk(() => import("../pipelines/DraftCard"));
  return part ? <part.DraftCard /> : null;
}

/** Scrolls to the stage on a narrow screen, where it is below the form. */
function scrollToStage(stage: HTMLElement | null, isAsked: boolean): void {
  const isBusy =
    !isAsked &&
    document.querySelector("input:focus, textarea:focus, dialog[open]");
  if (!wide.peek() && !isBusy) stage?.scrollIntoView({ block: "start" });
}

/** The button that opens a result in a dialog as large as the window. */
function Enlarge({ item }: { item: StageItem | undefined }) {
  const isLarge = useSignal(false);
  if (!item) return null;
  const { name, url } = item.output;
  return (
    <>
      <IconButton
        class="quiet square enlarge"
        icon={Maximize2}
        title="Enlarge"
        label={`Enlarge ${name}`}
        onClick={() => {
          // The end of another task must not replace the result in the dialog.
          choose(item.choice);
          isLarge.value = true;
        }}
      />
      {isLarge.value && (
        <Dialog heading={name} isLarge close={() => (isLarge.value = false)}>
          <Enlarged key={url} item={item} />
          <div class="choices">
            <Steps item={item} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function Enlarged({ item: { entry, output } }: { item: StageItem }) {
  const { facts, broken, loading, playing } = useResult(entry, output);
  if (broken) return <LoadAgain {...loading} />;
  return (
    <div class="shown">
      <Player {...playing} isLarge />
      <p class="facts sizes">{facts}</p>
    </div>
  );
}

/** Steps to the next newer and older result of the list. */
function Steps({ item }: { item: StageItem }) {
  const all = listedTasks.value.flatMap(itemsOf);
  const at = all.indexOf(item);
  // A task of a pipeline is not in the list.
  if (all.length < 2 || at < 0) return null;
  const step = (by: number) => {
    const next = all[at + by];
    if (next) choose(next.choice);
  };
  return (
    <>
      <span class="facts">
        {at + 1} of {all.length}
      </span>
      <IconButton
        icon={ChevronLeft}
        title="Newer result"
        aria-disabled={at === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        icon={ChevronRight}
        title="Older result"
        aria-disabled={at === all.length - 1}
        onClick={() => step(1)}
      />
    </>
  );
}
