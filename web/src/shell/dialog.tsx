/** A dialog of the browser's own: it traps focus, closes with Escape and gives the focus back. */
import { type ComponentType, type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "../parts/button.tsx";
import { FailureNote, partOnDemand } from "../parts/states.tsx";

/** A ref for a `<dialog>` that is modal as long as it is shown; the focus then returns to what had it before. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    const opener = document.activeElement;
    if (!element.open) element.showModal();
    return () => {
      element.close();
      // The browser does this only where the dialog stays in the document.
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
    };
  }, []);
  return dialog;
}

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useModal();
  const name = useId();
  return (
    <dialog ref={dialog} aria-labelledby={name} onClose={onClose} onCancel={onClose}>
      <header>
        <h2 id={name}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div className="stack">{children}</div>
    </dialog>
  );
}

/** A dialog whose code comes when it is first opened; where it does not, a dialog says so. */
export const dialogOnDemand = <P extends { close: () => void }>(load: () => Promise<{ default: ComponentType<P> }>) =>
  partOnDemand<P>(load, {
    instead: (failed, { close }) => (
      <Dialog title="This does not open now" onClose={close}>
        <FailureNote {...failed} />
      </Dialog>
    ),
  });
