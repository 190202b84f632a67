import { useSignal } from "@preact/signals";
import { capabilitySections } from "mediagate/forms";
import { useLayoutEffect, useRef } from "preact/hooks";
import { markOf, offered } from "../offers";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { go } from "../route";
import { show } from "../stage/shown";
import { capabilityTitle, headingOf, stateOf } from "../tasks/entry";
import { search } from "../tasks/search";
import { entries } from "../tasks/store";
import { isFinding } from "./keys";
import "../style/finder.css";

const MAX_TASKS = 8;

interface Found {
  key: string;
  medium: string | undefined;
  title: string;
  facts: string;
  choose(): void;
}

export function Finder() {
  const query = useSignal("");
  const list = useRef<HTMLDivElement>(null);
  // The dialog itself gives the focus to its first button, which closes it.
  useLayoutEffect(() => list.current?.querySelector("input")?.focus(), []);
  const found = [...capabilities(query.value), ...tasks(query.value)];
  const choose = (item: Found) => {
    isFinding.value = false;
    item.choose();
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !list.current) return;
    event.preventDefault();
    const all = [
      ...list.current.querySelectorAll<HTMLElement>("input, button"),
    ];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = Math.min(Math.max(at + step, 0), all.length - 1);
    all[next]?.focus();
  };
  return (
    <Dialog
      heading="Find a capability or a task"
      close={() => (isFinding.value = false)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the controls inside, which Tab does too */}
      <div ref={list} class="finder" onKeyDown={move}>
        <input
          type="search"
          aria-label="Words to find"
          placeholder="Such as trim, or a word of a prompt"
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && query.value !== "") {
              // Some browsers would close the dialog, and others would only empty the field.
              event.preventDefault();
              query.value = "";
            }
            if (event.key !== "Enter" || !found[0]) return;
            // Otherwise the key would also press the heading of the task, which gets the focus.
            event.preventDefault();
            choose(found[0]);
          }}
        />
        <p class="facts" role="status">
          {found.length === 0 && "Nothing has these words."}
        </p>
        <ul>
          {found.map((item) => (
            <li key={item.key}>
              <button type="button" class="quiet" onClick={() => choose(item)}>
                <Icon icon={iconOf(item.medium)} />
                <span dir="auto">{item.title}</span>
                <span class="facts">{item.facts}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

function capabilities(query: string): Found[] {
  return capabilitySections(offered.value, query).flatMap((section) =>
    section.capabilities.map((capability) => ({
      key: capability.name,
      medium: section.medium,
      title: capability.title,
      facts: [section.heading, markOf(capability)].filter(Boolean).join(" · "),
      choose: () => go(capability),
    })),
  );
}

function tasks(query: string): Found[] {
  return search(entries.value, query)
    .slice(0, MAX_TASKS)
    .map((entry) => ({
      key: entry.key,
      medium: entry.outputs[0]?.kind ?? undefined,
      title: headingOf(entry),
      facts: ["Task", entry.title && capabilityTitle(entry), stateOf(entry)]
        .filter(Boolean)
        .join(" · "),
      // The dialog returns the focus as it closes, so the stage takes it after that.
      choose: () => show({ kind: "task", key: entry.key }),
    }));
}
