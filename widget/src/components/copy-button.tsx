import { useEffect, useState } from 'preact/hooks';
import { panelStrings as text } from '../strings.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface CopyButtonProps {
  value: string;
  name: string;
}

const confirmedMs = 1600;

export function CopyButton({ value, name }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    // Missing without https, refused without focus: then the text can still be selected.
    navigator.clipboard?.writeText(value).then(
      () => setCopied(true),
      () => {},
    );
  };
  return (
    <button
      type="button"
      class="icon-button small"
      data-testid="docent-copy"
      aria-label={isCopied ? text.copied : name}
      title={isCopied ? text.copied : name}
      onClick={copy}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
