/** A page of a PDF, drawn before it comes into view. Screen readers skip it without a label. */
import { useEffect, useRef } from "preact/hooks";
import { drawPage, type Pdf } from "./open";

/** The distance from the view at which a page is drawn. */
const AHEAD = "500px";

export function Page({
  pdf,
  number,
  label,
  width,
}: {
  pdf: Pdf;
  number: number;
  label?: string;
  /** The width in device pixels, by default that of the shown canvas. */
  width?: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        void draw(pdf, number, current, width).catch(() => undefined);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [pdf, number, width]);
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
  width = canvas.clientWidth * devicePixelRatio,
): Promise<void> {
  await drawPage(pdf, number, canvas, width);
  canvas.dataset.drawn = "true";
}
