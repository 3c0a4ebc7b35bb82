import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { session } from '../session.ts';
import { IconButton } from './button.tsx';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  isWide?: boolean;
}

/** A native modal: mount it to open it. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { state = 'signed-in' } = session.value ?? {};
  useLayoutEffect(() => {
    const element = dialog.current;
    // A modal would block the sign-in screen, which covers the page when its session ends.
    if (state !== 'signed-in') return undefined;
    element?.showModal();
    return () => element?.close();
  }, [state]);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {/* The last one, so that the first field or Cancel has the focus. */}
      <IconButton icon="close" label="Close" onClick={onClose} />
    </dialog>
  );
}
