import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../copy-text.ts';
import { useText } from '../../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface CopyButtonProps {
  /** A function if the text grows, or if its code loads later. */
  value: string | (() => string | Promise<string>);
  name: string;
  testId?: string;
  Icon?: FunctionComponent;
  onCopied?: () => void;
  hasWords?: boolean;
}

const confirmedMs = 1600;

export function CopyButton({
  value,
  name,
  testId = 'docent-copy',
  Icon = CopyIcon,
  onCopied,
  hasWords,
}: CopyButtonProps) {
  const text = useText();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    copyText(value).then(
      () => {
        setCopied(true);
        onCopied?.();
      },
      () => {}, // The text can still be selected.
    );
  };
  return (
    <IconButton
      class="icon-button small"
      testId={testId}
      name={isCopied ? text.copied : name}
      onClick={copy}
      icon={isCopied ? CheckIcon : Icon}
      hasWords={hasWords}
    />
  );
}
