import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { showsOnce } from '../session.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

/** Whoever looks away to keep what's shown only once finds it again. */
export const useShownOnce = () =>
  useEffect(() => {
    showsOnce.value = true;
    return () => void (showsOnce.value = false);
  }, []);

interface SecretProps extends DialogProps {
  value: string;
  /** What is copied: "key". */
  label: string;
  note?: ComponentChildren;
}

/** A dialog with a secret that is shown this once. */
export function Secret({ title, onClose, value, label, note, children }: SecretProps) {
  useShownOnce();
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <div class="secret">
          <p>
            <strong>This is shown only once.</strong> {note}
          </p>
          <div>
            <code aria-label={label}>{value}</code>
            <Copy value={value} label={`Copy ${label}`} isButton />
          </div>
        </div>
        {children}
        <div class="form-foot">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
