import { useSignalEffect } from "@preact/signals";
import {
  CircleQuestionMark,
  type IconNode,
  Image,
  Moon,
  Play,
  Search,
  SquarePen,
  Sun,
  SunMoon,
} from "lucide";
import type { Capability } from "./catalogue";
import { connection } from "./client";
import { CodeDialog } from "./code/CodeDialog";
import { isFinding, toggleFinder } from "./finder/keys";
import { CapabilityForm } from "./form/CapabilityForm";
import { modelOf } from "./form/model";
import { Navigation } from "./Navigation";
import { Notices } from "./notices/Notices";
import { notify } from "./notices/store";
import {
  areOffersKnown,
  loadModels,
  loadOffers,
  type Missing,
  markOf,
  missingFor,
  offered,
} from "./offers";
import { chunk } from "./parts/chunk";
import { Icon } from "./parts/Icon";
import { IconButton } from "./parts/IconButton";
import { online } from "./parts/online";
import { Trouble } from "./parts/Trouble";
import { useChunk } from "./parts/useLoaded";
import { draft, isStarting } from "./pipelines/draft";
import { reachable } from "./reachable";
import { chosen, FORM, focusHeading, HEADING } from "./route";
import { Stage } from "./stage/Stage";
import { focusStage, shown } from "./stage/shown";
import { endedTitle } from "./tasks/ended";
import { entries } from "./tasks/store";
import { TaskList } from "./tasks/TaskList";
import { changeTheme, type Theme, theme } from "./theme";
import { Introduction } from "./welcome/Introduction";
import { ABOUT, showIntroduction } from "./welcome/shown";
import { Worker } from "./welcome/Worker";

export function App() {
  const capability = chosen.value;
  useSignalEffect(() => {
    const title = endedTitle.value || chosen.value?.title || "Playground";
    document.title = `${title} · Mediagate`;
  });
  useSignalEffect(() => {
    // Tries again once the page is connected, since the form's own call may have failed before.
    if (connection.value !== "connected") return;
    loadModels();
    loadOffers();
  });
  return (
    <>
      <a class="skip" href={`#${HEADING}`} onClick={skip}>
        Skip to the form
      </a>
      <div class="page">
        <Header />
        <Navigation />
        <main>
          <Introduction />
          <Worker />
          {capability && (
            <Workbench key={capability.name} capability={capability} />
          )}
        </main>
        <Notices />
        <div class="results">
          <Stage />
          <TaskList />
        </div>
        <CodeDialog />
        {isFinding.value && <LoadedFinder />}
      </div>
      <Bar />
    </>
  );
}

function skip(event: Event) {
  // The hash of the URL names the capability, so the link must not change it.
  event.preventDefault();
  focusHeading();
}

function Header() {
  return (
    <header class="brand">
      <a href="/" aria-label="Mediagate playground">
        <img src="/favicon.svg" alt="" width="22" height="22" />
        <span>Mediagate</span>
      </a>
      <IconButton
        id={ABOUT}
        class="quiet about"
        icon={CircleQuestionMark}
        title="About this page"
        onClick={showIntroduction}
      />
      <IconButton
        class="quiet"
        icon={Search}
        label="Find a capability or a task"
        aria-keyshortcuts="Control+K Meta+K"
        title="Find a capability or a task (Ctrl or ⌘ K)"
        onClick={toggleFinder}
      />
      <ThemeButton />
      <ConnectionState />
    </header>
  );
}

const THEMES: Record<Theme, readonly [icon: IconNode, name: string]> = {
  system: [SunMoon, "as the device"],
  light: [Sun, "light"],
  dark: [Moon, "dark"],
};

function ThemeButton() {
  const [icon, name] = THEMES[theme.value];
  return (
    <IconButton
      class="quiet"
      icon={icon}
      title={`Colours: ${name}`}
      onClick={changeTheme}
    />
  );
}

function LoadedFinder() {
  const finder = useChunk(() => import("./finder/Finder"));
  return finder ? <finder.Finder /> : null;
}

function Bar() {
  const count = entries.value.length;
  return (
    <nav class="reach" aria-label="Parts of the page">
      <button type="button" class="quiet" onClick={showForm}>
        <Icon icon={SquarePen} /> Form
      </button>
      <button type="button" class="quiet" onClick={focusStage}>
        <Icon icon={Image} /> Results{" "}
        {count > 0 && <span class="count">{count}</span>}
      </button>
      <RunButton />
    </nav>
  );
}

/** The button that runs what is on the page: the new pipeline on the stage, or else the form. */
function RunButton() {
  const { value: capability } = chosen;
  const makesStep = capability && modelOf(capability).makesStep.value;
  const { length } = draft.value.steps;
  if (shown.value?.kind === "draft" && !makesStep)
    return (
      <button
        type="button"
        class="primary"
        aria-disabled={isStarting.value}
        onClick={() => void runDraft()}
      >
        <Icon icon={Play} /> Run {length} {length === 1 ? "step" : "steps"}
      </button>
    );
  return (
    <button
      type="submit"
      form={FORM}
      class="primary"
      aria-label={makesStep ? undefined : "Run this form"}
    >
      {makesStep ? (
        "Save the step"
      ) : (
        <>
          <Icon icon={Play} /> Run
        </>
      )}
    </button>
  );
}

async function runDraft(): Promise<void> {
  const start = await chunk(() => import("./pipelines/start")).catch(
    () => undefined,
  );
  if (start) await start.startDraft();
  else notify({ text: "The pipeline could not be started. Try again." });
}

/** Scrolls to the form. A link would change the hash, which names the capability. */
function showForm() {
  document.getElementById(HEADING)?.scrollIntoView();
}

function Workbench({ capability }: { capability: Capability }) {
  const missing = missingFor(capability);
  return (
    <>
      <header class="intro">
        <h1 id={HEADING} tabIndex={-1}>
          {capability.title}
        </h1>
        <p>{capability.summary}</p>
        {capability.extension && (
          <p class="facts">
            An extension: the document of the media service does not have it.
          </p>
        )}
        {markOf(capability) === "emulator" && (
          <p class="facts">
            Made by the emulator: your upstream module does not offer it.
          </p>
        )}
      </header>
      <Trouble />
      {offered.value.includes(capability) && !missing ? (
        <CapabilityForm capability={capability} />
      ) : (
        <NotOffered missing={missing} />
      )}
    </>
  );
}

function NotOffered({ missing }: { missing: Missing | undefined }) {
  const words = areOffersKnown.value
    ? "This gateway does not offer this. Choose another form in the list."
    : "The page is asking the gateway whether it offers this.";
  return (
    <div class="empty" role="status">
      <p>
        {missing
          ? `The emulator needs ${missing.program} for this, but ${missing.remedy}. Then start it again.`
          : words}
      </p>
    </div>
  );
}

function ConnectionState() {
  const word = connectionWord();
  return (
    <p class="connection" role="status" data-state={word} title={word}>
      {word}
    </p>
  );
}

function connectionWord(): string {
  const state = connection.value;
  if (!online.value) return "offline";
  if (state === "connected" && !reachable.value) return "not connected";
  if (typeof state === "string") return state;
  return state.again ? "connecting" : "not connected";
}
