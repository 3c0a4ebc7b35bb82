import { useEffect, useState } from 'preact/hooks';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icons.tsx';

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
  const icon = isCopied ? 'check' : 'copy';
  if (!isButton) return <IconButton icon={icon} label={name} onClick={copy} />;
  return (
    <Button onClick={copy}>
      <Icon name={icon} />
      {name}
    </Button>
  );
}

/** What was sent or stored, behind a word. */
export const Raw = ({ title, text }: { title: string; text: string }) => (
  <details class="raw">
    <summary>{title}</summary>
    <pre tabIndex={0}>{text}</pre>
  </details>
);

/** Lines to copy, such as a command or a script tag. */
export const Snippet = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <div class="snippet">
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <Copy value={text} label={label} />
  </div>
);
