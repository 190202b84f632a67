/** One page of a PDF, drawn once it is about to be seen; without a label it belongs to something that has one. */
import { useEffect, useRef } from "preact/hooks";
import type { Pdf } from "./open";

export function Page({ pdf, number, label }: { pdf: Pdf; number: number; label?: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    const seen = new IntersectionObserver(([it]) => {
      if (!it?.isIntersecting) return;
      seen.disconnect();
      void draw(pdf, number, current).catch(() => undefined);
    });
    seen.observe(current);
    return () => seen.disconnect();
  }, [pdf, number]);
  return <canvas ref={canvas} class="leaf" {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })} />;
}

async function draw(pdf: Pdf, number: number, canvas: HTMLCanvasElement): Promise<void> {
  const page = await pdf.getPage(number);
  const { width } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: (canvas.clientWidth * devicePixelRatio) / width });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport }).promise;
  canvas.dataset["drawn"] = "true";
}
