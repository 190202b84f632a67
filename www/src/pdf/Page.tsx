/** One page of a PDF, drawn when it is about to come into view; without a label it is hidden from screen readers. */
import { useEffect, useRef } from "preact/hooks";
import type { Pdf } from "./open";

/** A page is drawn this far before a scroll brings it into view. */
const AHEAD = "500px";

export function Page({
  pdf,
  number,
  label,
}: {
  pdf: Pdf;
  number: number;
  label?: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    const observer = new IntersectionObserver(
      ([it]) => {
        if (!it?.isIntersecting) return;
        observer.disconnect();
        void draw(pdf, number, current).catch(() => undefined);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [pdf, number]);
  return (
    <canvas
      ref={canvas}
      class="leaf"
      {...(label
        ? { role: "img", "aria-label": label }
        : { "aria-hidden": true })}
    />
  );
}

async function draw(
  pdf: Pdf,
  number: number,
  canvas: HTMLCanvasElement,
): Promise<void> {
  const page = await pdf.getPage(number);
  const { width } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({
    scale: (canvas.clientWidth * devicePixelRatio) / width,
  });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport }).promise;
  canvas.dataset.drawn = "true";
}
