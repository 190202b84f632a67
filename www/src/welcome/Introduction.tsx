import { X } from "lucide";
import { type CapabilitySection, capabilitySections } from "mediagate/forms";
import { formatBytes } from "mediagate/words";
import type { Capability } from "../catalogue";
import { offered } from "../offers";
import { MAX_FILE_BYTES, opened } from "../opened";
import { afterRender } from "../parts/afterRender";
import { IconButton } from "../parts/IconButton";
import { useLoaded } from "../parts/useLoaded";
import { wide } from "../parts/wide";
import { beginReadyMade, readyMade } from "../pipelines/readyMade";
import { chosen, FORM, follow } from "../route";
import { dismissIntroduction, INTRODUCTION, introduction } from "./shown";

export function Introduction() {
  if (!introduction.value) return null;
  return (
    <aside class="card welcome" aria-labelledby={INTRODUCTION}>
      {!wide.value && (
        <img class="hero" src={HERO} alt="" width="1280" height="800" />
      )}
      <header>
        <h2 id={INTRODUCTION} tabIndex={-1}>
          Try what Mediagate can do
        </h2>
        <IconButton
          icon={X}
          label="Hide the introduction"
          onClick={dismissIntroduction}
        />
      </header>
      {!wide.value && <Tiles />}
      <details>
        <summary>How this page works</summary>
        <dl>
          <dt>The gateway</dt>
          <dd>
            It passes your requests on to a media service, whose API key never
            leaves the gateway. The key is not in this page.
          </dd>
          <dt>The session</dt>
          <dd>
            This page has a session token: a pass that the gateway hands out to
            anyone who tries it. In your own app, your backend signs a token for
            each of your users.
          </dd>
          <dt>Your files</dt>
          <dd>
            They stay in this browser until you run a form, which sends its
            files to the media service. <StoredFiles />
          </dd>
          <dt>For developers</dt>
          <dd>
            “Show the code” in each form, the README of the npm package{" "}
            <code>mediagate</code>, and{" "}
            <a href="/openapi.json" target="_blank" rel="noopener">
              the gateway’s interface (OpenAPI)
            </a>
            .
          </dd>
        </dl>
      </details>
    </aside>
  );
}

/** The pictures that lead to a ready-made pipeline or a form. */
export function Tiles() {
  return (
    <ul class="tiles">
      {readyMade.value.slice(0, MAX_PIPELINES).map((name) => (
        <li key={name}>
          <button type="button" onClick={() => void beginReadyMade(name)}>
            <img
              src={PICTURES[`./tiles/pipeline-${pictureOf(name)}.svg`]}
              alt=""
              width="320"
              height="200"
            />
            {name}
          </button>
        </li>
      ))}
      {capabilitySections(offered.value).map((section) => (
        <Tile key={section.heading} section={section} />
      ))}
    </ul>
  );
}

function focusFirstField(): void {
  afterRender(() =>
    document
      .querySelector<HTMLElement>(`#${FORM} :is(input, textarea)`)
      ?.focus(),
  );
}

/** The picture at the top of a narrow page, which `index.html` shows before the script has run. */
const [HERO] = Object.values(
  import.meta.glob<string>("../examples/results/text_to_image.webp", {
    eager: true,
    query: "?url",
    import: "default",
  }),
);

const PICTURES: Record<string, string> = import.meta.glob("./tiles/*.svg", {
  eager: true,
  import: "default",
});

/** The most pipelines among the tiles. */
const MAX_PIPELINES = 2;

function pictureOf(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

/** The tile of a section, with its first capability that needs no asset. */
function Tile({ section }: { section: CapabilitySection<Capability> }) {
  // Not every gateway lists assets.
  const capability = section.capabilities.find(({ fields }) =>
    fields.every(({ required, category }) => !required || !category),
  );
  if (!capability) return null;
  const { group, medium, name, title } = capability;
  return (
    <li>
      <a
        href={`#${name}`}
        onClick={(event) => {
          const isShown = chosen.peek() === capability;
          follow(event, capability);
          // The form is in view already, so that a press would change nothing.
          if (isShown && event.defaultPrevented) focusFirstField();
        }}
      >
        <img
          src={PICTURES[`./tiles/${group}-${medium}.svg`]}
          alt=""
          width="320"
          height="200"
        />
        {title}
      </a>
    </li>
  );
}

function StoredFiles() {
  const size = useLoaded(async () => (await opened)?.fileBytes());
  return size === undefined ? null : (
    <>
      This browser stores {formatBytes(size)} of them,{" "}
      {formatBytes(MAX_FILE_BYTES)} at most.
    </>
  );
}
