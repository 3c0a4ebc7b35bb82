import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CopyButton } from '../panel/components/copy-button.tsx';
import { useText } from '../text/text.ts';

interface CodeBlockProps {
  code: string;
  /** The info string of the fence. */
  info: string;
  isOpen: boolean;
}

export function CodeBlock({ code, info, isOpen }: CodeBlockProps) {
  const text = useText();
  const element = useRef<HTMLElement>(null);
  const language = /^[\w#+.-]+/.exec(info)?.[0] ?? '';
  // Append by hand, so that a selection survives.
  useLayoutEffect(() => {
    const parent = element.current;
    const node = parent?.firstChild;
    if (!(node instanceof Text)) parent?.append(code);
    else if (code.startsWith(node.data)) node.appendData(code.slice(node.length));
    else node.data = code;
  }, [code]);
  useEffect(() => {
    if (isOpen || !language || !code) return undefined;
    let undo: (() => void) | undefined;
    let isGone = false;
    import('./highlight.ts').then(
      ({ highlight }) => {
        const node = element.current?.firstChild;
        if (!isGone && node instanceof Text) undo = highlight(node, language.toLowerCase());
      },
      () => {}, // Code stays plain.
    );
    return () => {
      isGone = true;
      undo?.();
    };
    // While the code grows, nothing is colored, so nothing has to be undone.
  }, [language, isOpen || code]);
  // The same element while code grows, so that Preact skips it.
  const bar = useMemo(
    () => (
      <div class="code-bar">
        <span class="code-language">{language}</span>
        <CopyButton value={() => element.current?.textContent ?? ''} name={text.copyCode} />
      </div>
    ),
    [language, text],
  );
  return (
    <div class="code">
      {bar}
      <pre tabIndex={0}>
        <code ref={element} />
      </pre>
    </div>
  );
}
