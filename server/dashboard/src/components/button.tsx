/** Buttons that do something. They're busy until it's done, and say so if it fails. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { toastError } from './toast.tsx';

type Action = () => unknown;

function useAction(action: Action) {
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      await action();
    } catch (error) {
      toastError(error);
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, onClick: () => void run() };
}

interface ButtonProps {
  onClick: Action;
  kind?: 'primary' | 'danger';
  isBusy?: boolean;
  children: ComponentChildren;
}

export function Button({ onClick: action, kind, isBusy = false, children }: ButtonProps) {
  const { isRunning, onClick } = useAction(action);
  const look = kind ? `button ${kind}` : 'button';
  return (
    <button type="button" class={look} aria-busy={isRunning || isBusy} onClick={onClick}>
      {children}
    </button>
  );
}

interface IconButtonProps {
  icon: IconName;
  /** What it does, for readers of the screen: "Revoke Docs". */
  label: string;
  /** Shown on hover. */
  title?: string;
  onClick: Action;
}

export function IconButton({ icon, label, title = label, onClick: action }: IconButtonProps) {
  const { onClick } = useAction(action);
  return (
    <button type="button" class="icon-button" aria-label={label} title={title} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
