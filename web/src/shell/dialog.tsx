/** A dialog of the browser's own: it traps focus, closes with Escape and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Icon } from "../parts/icon.tsx";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const element = dialog.current!;
    if (!element.open) element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={name} onClose={onClose} onCancel={onClose}>
      <header>
        <h2 id={name}>{title}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="stack">{children}</div>
    </dialog>
  );
}
