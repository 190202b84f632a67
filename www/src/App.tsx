/** The page: capabilities, the form of the chosen one, tasks. */
import { useSignalEffect } from "@preact/signals";
import { type Capability, prefix } from "./catalogue";
import { client, connection } from "./client";
import { CodeDialog } from "./code/CodeDialog";
import { CapabilityForm } from "./form/CapabilityForm";
import { Navigation } from "./Navigation";
import { Notices } from "./notices/Notices";
import { Failure, toShownError } from "./parts/Failure";
import { chosen } from "./route";
import { entries } from "./tasks/store";
import { TaskList } from "./tasks/TaskList";

export function App() {
  const capability = chosen.value;
  useSignalEffect(() => {
    document.title = `${chosen.value?.title ?? "Playground"} · Mediagate`;
  });
  return (
    <div class="page">
      <header class="brand">
        <a href="/" aria-label="Mediagate playground">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          <span>Mediagate</span>
        </a>
        <Connection />
        {entries.value.length > 0 && (
          <button type="button" class="to-tasks" onClick={showTasks}>
            Tasks <span class="count">{entries.value.length}</span>
          </button>
        )}
      </header>
      <Navigation />
      <main>{capability && <Workbench key={capability.name} capability={capability} />}</main>
      <Notices />
      <TaskList />
      <CodeDialog />
    </div>
  );
}

/** Scrolls without changing the URL, whose hash names the capability. */
function showTasks() {
  document.getElementById("tasks-heading")?.scrollIntoView();
}

function Workbench({ capability }: { capability: Capability }) {
  const state = connection.value;
  return (
    <>
      <header class="intro">
        <h1 tabIndex={-1}>{capability.title}</h1>
        <p>{capability.summary}</p>
        <code>
          POST <wbr />
          {prefix}
          {capability.path}
        </code>
      </header>
      {typeof state === "object" && (
        <div class="offline">
          <Failure of={toShownError(state.failure)} />
          <button type="button" onClick={() => void client().catch(() => undefined)}>
            Connect again
          </button>
        </div>
      )}
      <CapabilityForm capability={capability} />
    </>
  );
}

function Connection() {
  const state = connection.value;
  const word = typeof state === "string" ? state : "not connected";
  return (
    <p class="connection" role="status" data-state={word}>
      {word}
    </p>
  );
}
