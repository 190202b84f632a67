import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import "../style/pdf.css";
import { pageCount } from "../words";
import { describeError, openPdf, type Pdf, problemOf } from "./open";
import { Page } from "./Page";

/** The most pages in the list, which more would make slow to scroll. */
const MAX_PAGES = 300;

/** The width of a large page in device pixels, which a window of any size only makes smaller. */
const LARGE_WIDTH = 1_600;

interface ShownPdfProps {
  source: Blob | string;
  name: string;
  onError(): void;
}

/** One page, as large as the container allows, with a strip of all pages to choose from. */
export function PdfView({ source, name, onError }: ShownPdfProps) {
  const [shown, setShown] = useState(1);
  return (
    <div class="document">
      <OpenPdf source={source} onError={onError}>
        {(pdf) => (
          <>
            <div class="large-page">
              <Page
                // A canvas is drawn once.
                key={shown}
                pdf={pdf}
                number={shown}
                label={`Page ${shown} of ${name}`}
                width={LARGE_WIDTH}
              />
            </div>
            {pdf.numPages > 1 && (
              <ul class="pages" aria-label={`Pages of ${name}`}>
                {numbers(pdf).map((number) => (
                  <li key={number}>
                    <button
                      type="button"
                      class="quiet"
                      aria-label={`Show page ${number}`}
                      aria-current={number === shown}
                      onClick={() => setShown(number)}
                    >
                      <Page pdf={pdf} number={number} />
                      <span class="facts">{number}</span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </OpenPdf>
    </div>
  );
}

export function PageStrip({ source, name, onError }: ShownPdfProps) {
  return (
    <OpenPdf source={source} onError={onError}>
      {(pdf) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which by keyboard needs the focus
        <ul class="pages" tabIndex={0} aria-label={`Pages of ${name}`}>
          {numbers(pdf).map((number) => (
            <li key={number}>
              <Page pdf={pdf} number={number} label={`Page ${number}`} />
              <span class="facts">{number}</span>
            </li>
          ))}
        </ul>
      )}
    </OpenPdf>
  );
}

interface PageChoiceProps {
  source: Blob;
  /** The positions of each chosen page. */
  positions: ReadonlyMap<number, readonly number[]>;
  /** True to show the positions, since the pages are not in the document's order. */
  numbered: boolean;
  toggle(page: number): void;
}

export function PageChoice({
  source,
  positions,
  numbered,
  toggle,
}: PageChoiceProps) {
  return (
    <OpenPdf source={source}>
      {(pdf) => (
        <ul class="pages choice" aria-label="Pages of the PDF">
          {numbers(pdf).map((number) => {
            const places = numbered && positions.get(number)?.join(", ");
            return (
              <li key={number}>
                <label>
                  <input
                    type="checkbox"
                    class="unseen"
                    aria-label={
                      places
                        ? `Page ${number}, at position ${places}`
                        : `Page ${number}`
                    }
                    checked={positions.has(number)}
                    onChange={() => toggle(number)}
                  />
                  <Page pdf={pdf} number={number} />
                  {places && <span class="position">{places}</span>}
                  <span class="facts">{number}</span>
                </label>
              </li>
            );
          })}
        </ul>
      )}
    </OpenPdf>
  );
}

function numbers(pdf: Pdf): number[] {
  return Array.from(
    { length: Math.min(pdf.numPages, MAX_PAGES) },
    (_, index) => index + 1,
  );
}

interface OpenPdfProps {
  source: Blob | string;
  children: (pdf: Pdf) => ComponentChildren;
  onError?(): void;
}

function OpenPdf({ source, children, onError }: OpenPdfProps) {
  const [state, setState] = useState<Pdf | string>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState(undefined);
    const loading = openPdf(source);
    const fail = (failure: unknown) => {
      setState(describeError(failure));
      // Another load would not help a PDF with a problem of its own.
      if (problemOf(failure)) return;
      onError?.();
      addEventListener("online", () => setTurn(turn + 1), {
        once: true,
        signal,
      });
    };
    loading.then(
      (pdf) => !signal.aborted && setState(pdf),
      (failure: unknown) => !signal.aborted && fail(failure),
    );
    return () => {
      controller.abort();
      void loading.then(
        (pdf) => pdf.loadingTask.destroy(),
        () => undefined,
      );
    };
  }, [source, turn]);
  if (typeof state === "string") return <p class="broken">{state}</p>;
  if (!state) return <p class="facts">Opening the PDF…</p>;
  return (
    <>
      {children(state)}
      <p class="facts">
        {pageCount(state.numPages)}
        {state.numPages > MAX_PAGES && `, the first ${MAX_PAGES} shown`}
      </p>
    </>
  );
}
