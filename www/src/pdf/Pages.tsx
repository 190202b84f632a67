/** The pages of a PDF: to look at, or to choose from. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import "../style/pdf.css";
import { openPdf, whyNot, type Pdf } from "./open";
import { Page } from "./Page";

/** More would be a page that is slow to scroll and tells nobody more. */
const MOST = 300;

/** The pages side by side. */
export function PageStrip({ source, name }: { source: Blob | string; name: string }) {
  return (
    <Opened source={source}>
      {(pdf) => (
        <ul class="pages" tabIndex={0} aria-label={`Pages of ${name}`}>
          {numbers(pdf).map((it) => (
            <li key={it}>
              <Page pdf={pdf} number={it} label={`Page ${it}`} />
              <span class="facts">{it}</span>
            </li>
          ))}
        </ul>
      )}
    </Opened>
  );
}

interface PageChoiceProps {
  source: Blob;
  chosen: ReadonlySet<number>;
  toggle(page: number): void;
}

/** The pages, each to choose or not. */
export function PageChoice({ source, chosen, toggle }: PageChoiceProps) {
  return (
    <Opened source={source}>
      {(pdf) => (
        <ul class="pages choice" aria-label="Pages of the PDF">
          {numbers(pdf).map((it) => (
            <li key={it}>
              <label>
                <input type="checkbox" class="unseen" aria-label={`Page ${it}`} checked={chosen.has(it)} onChange={() => toggle(it)} />
                <Page pdf={pdf} number={it} />
                <span class="facts">{it}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </Opened>
  );
}

function numbers(pdf: Pdf): number[] {
  return Array.from({ length: Math.min(pdf.numPages, MOST) }, (_, index) => index + 1);
}

function Opened({ source, children }: { source: Blob | string; children: (pdf: Pdf) => ComponentChildren }) {
  const [state, setState] = useState<Pdf | string>();
  useEffect(() => {
    let left = false;
    setState(undefined);
    const opening = openPdf(source);
    opening.then((it) => !left && setState(it), (failure: unknown) => !left && setState(whyNot(failure)));
    return () => {
      left = true;
      void opening.then((it) => it.loadingTask.destroy(), () => undefined);
    };
  }, [source]);
  if (typeof state === "string") return <p class="broken">{state}</p>;
  if (!state) return <p class="facts">Opening the PDF…</p>;
  return (
    <>
      {children(state)}
      <p class="facts">
        {state.numPages} {state.numPages === 1 ? "page" : "pages"}
        {state.numPages > MOST && `, the first ${MOST} shown`}
      </p>
    </>
  );
}
