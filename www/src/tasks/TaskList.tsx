/** Every task of this browser, newest first. */
import { Inbox } from "lucide";
import { Icon } from "../parts/Icon";
import { isOver } from "./entry";
import { entries } from "./store";
import { TaskCard } from "./TaskCard";
import { discard } from "./watch";

export function TaskList() {
  const all = entries.value;
  const over = all.filter((it) => isOver(it.state));
  return (
    <section class="tasks" aria-labelledby="tasks-heading">
      <header class="bar">
        <h2 id="tasks-heading">Tasks</h2>
        {over.length > 0 && (
          <button type="button" class="quiet" onClick={() => void over.map((it) => discard(it.key))}>
            Clear finished
          </button>
        )}
      </header>
      {all.length === 0 ? (
        <div class="empty">
          <Icon of={Inbox} size={24} />
          <p>Run a capability, and its task appears here. Tasks stay when you reload the page.</p>
        </div>
      ) : (
        <ul>
          {all.map((it, index) => (
            <TaskCard key={it.key} entry={it} newest={index === 0} />
          ))}
        </ul>
      )}
    </section>
  );
}
