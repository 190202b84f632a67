/** The list of capabilities and pipelines, with a filter. It folds on a narrow screen. */
import { useSignal } from "@preact/signals";
import { ChevronDown, Search, Workflow } from "lucide";
import { type CapabilitySection, capabilitySections } from "mediagate/forms";
import type { Capability } from "./catalogue";
import { dropOn } from "./form/dropOn";
import { markOf, offered } from "./offers";
import { Icon } from "./parts/Icon";
import { iconOf } from "./parts/media";
import { beginReadyMade, readyMade } from "./pipelines/readyMade";
import { chosen, FILTER, follow } from "./route";

export function Navigation() {
  const filter = useSignal("");
  const open = useSignal(false);
  const found = capabilitySections(offered.value, filter.value);
  return (
    <nav class="capabilities" aria-label="Capabilities" data-open={open.value}>
      <button
        type="button"
        class="opener"
        aria-expanded={open.value}
        aria-controls="capabilities"
        onClick={() => (open.value = !open.value)}
      >
        <span>{chosen.value?.title}</span>
        <Icon icon={ChevronDown} />
      </button>
      <div id="capabilities" class="panel">
        <label class="filter">
          <Icon icon={Search} />
          <input
            type="search"
            id={FILTER}
            aria-keyshortcuts="/"
            aria-label="Filter capabilities"
            placeholder="Search, such as trim"
            value={filter.value}
            onInput={(event) => (filter.value = event.currentTarget.value)}
          />
        </label>
        <ReadyMade
          filter={filter.value}
          onChoose={() => (open.value = false)}
        />
        {found.map((section) => (
          <Group
            key={section.heading}
            section={section}
            onChoose={() => (open.value = false)}
          />
        ))}
        <p class="none" role="status">
          {found.length === 0 &&
            "No capability matches. Try another word, such as video."}
        </p>
      </div>
    </nav>
  );
}

/** The ready-made pipelines. A press puts one on the stage. */
function ReadyMade({ filter, onChoose }: { filter: string; onChoose(): void }) {
  const words = filter.trim().toLowerCase();
  const names = readyMade.value.filter((name) =>
    `pipeline ${name}`.toLowerCase().includes(words),
  );
  if (names.length === 0) return null;
  return (
    <section>
      <h2>
        <Icon icon={Workflow} size={14} /> Ready-made pipelines
      </h2>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => {
                onChoose();
                void beginReadyMade(name);
              }}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Group({
  section,
  onChoose,
}: {
  section: CapabilitySection<Capability>;
  onChoose(): void;
}) {
  const choose = (event: MouseEvent, capability: Capability) => {
    onChoose();
    follow(event, capability);
  };
  return (
    <section>
      <h2>
        <Icon icon={iconOf(section.medium)} size={14} /> {section.heading}
      </h2>
      <ul>
        {section.capabilities.map((capability) => (
          <li key={capability.name}>
            <a
              href={`#${capability.name}`}
              aria-current={
                chosen.value?.name === capability.name ? "page" : undefined
              }
              onClick={(event) => choose(event, capability)}
              {...dropOn(capability)}
            >
              {capability.title}
              {markOf(capability) && (
                <span class="facts"> {markOf(capability)}</span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
