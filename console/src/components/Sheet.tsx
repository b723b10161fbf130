import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./Icon";

interface SheetProps {
  title: string;
  onClose?: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** A modal dialog: the browser keeps the focus inside and closes it with Escape. */
export function Sheet({ title, onClose, isWide = false, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? "sheet wide" : "sheet"}
      aria-labelledby="sheet-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div className="sheet-h">
        <h2 id="sheet-title">{title}</h2>
        {onClose && (
          <button type="button" className="ib end" aria-label="Close" onClick={onClose}>
            <Icon name="x" />
          </button>
        )}
      </div>
      <div className="sheet-b">{children}</div>
    </dialog>
  );
}
