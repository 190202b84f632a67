/** The page: capabilities, the form of the chosen one, tasks. */
import { useSignalEffect } from "@preact/signals";
import { CircleQuestionMark } from "lucide";
import { type Capability, prefix } from "./catalogue";
import { connection } from "./client";
import { CodeDialog } from "./code/CodeDialog";
import { CapabilityForm } from "./form/CapabilityForm";
import { loadModels } from "./form/models";
import { Navigation } from "./Navigation";
import { Notices } from "./notices/Notices";
import { Icon } from "./parts/Icon";
import { online } from "./parts/online";
import { Trouble } from "./parts/Trouble";
import { chosen, focusHeading, HEADING } from "./route";
import { entries } from "./tasks/store";
import { TaskList } from "./tasks/TaskList";
import { Introduction } from "./welcome/Introduction";
import { ABOUT, showIntroduction } from "./welcome/shown";
import { Worker } from "./welcome/Worker";

export function App() {
  const capability = chosen.value;
  useSignalEffect(() => {
    document.title = `${chosen.value?.title ?? "Playground"} · Mediagate`;
  });
  useSignalEffect(() => {
    if (connection.value === "connected") loadModels();
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
        <TaskList />
        <CodeDialog />
      </div>
    </>
  );
}

/** Moves the focus without changing the URL, whose hash names the capability. */
function skip(event: Event) {
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
      <button
        type="button"
        id={ABOUT}
        class="quiet about"
        aria-label="About this page"
        title="About this page"
        onClick={showIntroduction}
      >
        <Icon of={CircleQuestionMark} />
      </button>
      <ConnectionState />
      {entries.value.length > 0 && (
        <button type="button" class="to-tasks" onClick={showTasks}>
          Tasks <span class="count">{entries.value.length}</span>
        </button>
      )}
    </header>
  );
}

/** Scrolls without changing the URL, whose hash names the capability. */
function showTasks() {
  document.getElementById("tasks-heading")?.scrollIntoView();
}

function Workbench({ capability }: { capability: Capability }) {
  return (
    <>
      <header class="intro">
        <h1 id={HEADING} tabIndex={-1}>
          {capability.title}
        </h1>
        <p>{capability.summary}</p>
        <code>
          POST <wbr />
          {prefix}
          {capability.path}
        </code>
      </header>
      <Trouble />
      <CapabilityForm capability={capability} />
    </>
  );
}

function ConnectionState() {
  const word = connectionWord();
  return (
    <p class="connection" role="status" data-state={word}>
      {word}
    </p>
  );
}

function connectionWord(): string {
  const state = connection.value;
  if (!online.value) return "offline";
  if (typeof state === "string") return state;
  return state.again ? "connecting" : "not connected";
}
