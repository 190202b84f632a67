/** The visibility of an element. */
import { useEffect, useState } from "preact/hooks";

/** The distance from the view within which something is loaded before a person scrolls to it. */
const AHEAD = "200px";

interface InView {
  /** True if the element is in view, or close to it. */
  isInView: boolean;
  element: Element | null;
  /** The `ref` of the element. */
  observe(element: Element | null): void;
}

/** @param initial - The visibility before the browser reports it. */
export function useInView(initial = false): InView {
  const [element, observe] = useState<Element | null>(null);
  const [isInView, setInView] = useState(initial);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => setInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { isInView, element, observe };
}
