/** A dialog over the page. Escape and a click beside it close it, and return the focus. */
import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./IconButton";

interface DialogProps {
  heading: string;
  /** True for a dialog as large as the window. */
  isLarge?: boolean;
  close(): void;
  children: ComponentChildren;
}

export function Dialog({ heading, isLarge, close, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes it; Escape does so in any dialog
    <dialog
      ref={dialog}
      class={isLarge ? "large" : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        // That of a file input bubbles.
        if (event.target !== event.currentTarget) return;
        // `close` is sent later, when the dialog may be open again.
        event.preventDefault();
        close();
      }}
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="sheet">
        <header>
          <h2 id={id} dir="auto">
            {heading}
          </h2>
          <IconButton icon={X} label="Close" onClick={close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
