import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { toastError } from './toast.tsx';

const confirmedMs = 1600;

interface CopyProps {
  value: string;
  /** What is copied: "Copy key". */
  label?: string;
  /** With the label as text instead of an icon alone. */
  isButton?: boolean;
}

export function Copy({ value, label = 'Copy', isButton = false }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => navigator.clipboard.writeText(value).then(() => setCopied(true));
  const name = isCopied ? 'Copied' : label;
  return (
    <button
      type="button"
      class={isButton ? 'button' : 'icon-button'}
      aria-label={name}
      title={name}
      onClick={() => void copy().catch(toastError)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isButton && name}
    </button>
  );
}

/** Lines to copy, such as a command or a script tag. */
export const Snippet = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <div class="snippet">
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <Copy value={text} label={label} />
  </div>
);
