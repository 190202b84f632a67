/** A result as wide as the form, with steps to its neighbours, and in a large dialog. */
import { useSignal } from "@preact/signals";
import { ChevronLeft, ChevronRight, Maximize2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../parts/Dialog";
import { IconButton } from "../parts/IconButton";
import { summaryOf } from "../tasks/search";
import "../style/stage.css";
import { LoadAgain } from "./LoadAgain";
import { Player } from "./Player";
import {
  choose,
  current,
  endings,
  items,
  STAGE_HEADING,
  type StageItem,
} from "./stage";
import { useResult } from "./useResult";

export function Stage() {
  const isLarge = useSignal(false);
  const stage = useRef<HTMLElement>(null);
  useEffect(() => {
    if (endings.value > 0) reveal(stage.current);
  }, [endings.value]);
  const item = current.value;
  if (!item) return null;
  return (
    <section ref={stage} class="card stage" aria-labelledby={STAGE_HEADING}>
      <header>
        <h2 id={STAGE_HEADING} tabIndex={-1} dir="auto">
          {item.output.name}
        </h2>
        <Steps />
        <IconButton
          icon={Maximize2}
          title="Enlarge"
          label={`Enlarge ${item.output.name}`}
          onClick={() => (isLarge.value = true)}
        />
      </header>
      <Shown key={`${item.id} ${item.output.url}`} item={item} />
      {isLarge.value && (
        <Dialog
          heading={item.output.name}
          isLarge
          close={() => (isLarge.value = false)}
        >
          <Shown key={`${item.id} ${item.output.url}`} item={item} />
          <div class="choices">
            <Steps />
          </div>
        </Dialog>
      )}
    </section>
  );
}

const narrow = matchMedia("(max-width: 799px)");

/** Scrolls to the stage on a narrow screen, where it is out of view when a result arrives. */
function reveal(stage: HTMLElement | null): void {
  // The page must not scroll away from a person who types or reads.
  const isBusy = document.querySelector(
    "input:focus, textarea:focus, dialog[open]",
  );
  if (narrow.matches && !isBusy) stage?.scrollIntoView({ block: "nearest" });
}

function Steps() {
  const all = items.value;
  const shown = current.value;
  if (!shown || all.length < 2) return null;
  const at = all.indexOf(shown);
  const step = (by: number) => {
    const item = all[at + by];
    if (item) choose(item);
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

function Shown({ item: { entry, output } }: { item: StageItem }) {
  const { facts, broken, loading, playing } = useResult(entry, output);
  if (broken) return <LoadAgain {...loading} />;
  return (
    <div class="shown">
      <Player {...playing} isAutoplayed />
      <p class="facts sizes" dir="auto">
        {[facts, summaryOf(entry.values ?? {})].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}
