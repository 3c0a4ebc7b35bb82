import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../components/copy-button.tsx';
import { useText } from '../text/text.ts';

interface CodeBlockProps {
  code: string;
  /** What stands behind the opening fence: the language, perhaps more. */
  info: string;
  isOpen: boolean;
}

export function CodeBlock({ code, info, isOpen }: CodeBlockProps) {
  const { panel: text } = useText();
  const element = useRef<HTMLElement>(null);
  const language = /^[\w#+.-]+/.exec(info)?.[0] ?? '';
  useEffect(() => {
    if (isOpen || !language || !code) return undefined;
    let undo: (() => void) | undefined;
    let isGone = false;
    import('./highlight.ts').then(
      ({ highlight }) => {
        const node = element.current?.firstChild;
        if (!isGone && node instanceof Text) undo = highlight(node, language.toLowerCase());
      },
      () => {}, // Without colours the code reads as well.
    );
    return () => {
      isGone = true;
      undo?.();
    };
  }, [isOpen, language, code]);
  return (
    <div class="code">
      <div class="code-bar">
        <span class="code-language">{language}</span>
        <CopyButton value={code} name={text.copyCode} />
      </div>
      <pre tabIndex={0}>
        <code ref={element}>{code}</code>
      </pre>
    </div>
  );
}
