import { useEffect, useState } from 'preact/hooks';
import { useText } from '../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface CopyButtonProps {
  value: string;
  name: string;
}

const confirmedMs = 1600;

export function CopyButton({ value, name }: CopyButtonProps) {
  const { panel: text } = useText();
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
    <IconButton
      class="icon-button small"
      testId="docent-copy"
      name={isCopied ? text.copied : name}
      onClick={copy}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}
