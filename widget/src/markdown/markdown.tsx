/** Draws streamed Markdown from the lexer's tokens. No HTML is parsed. */
import { useMemo, useRef } from 'preact/hooks';
import type { ComponentChildren, VNode } from 'preact';
import type { Token, Tokens } from 'marked';
import type { Source } from '../chat/message.ts';
import { directionOfText } from '../text/direction.ts';
import { useText } from '../text/text.ts';
import { createBlocks, type Block } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { renderInline, type Reading } from './inline.tsx';

/**
 * Preact skips a component whose element is the same object, so finished blocks keep their nodes.
 */
const BlockBoundary = ({ children }: { children: ComponentChildren }) => children;

function table({ header, rows, align }: Tokens.Table, key: number, reading: Reading): VNode {
  const cell = ({ tokens }: Tokens.TableCell, column: number, Tag: 'th' | 'td') => (
    <Tag key={column} class={align[column] ? `align-${align[column]}` : undefined}>
      {renderInline(tokens, reading)}
    </Tag>
  );
  return (
    // Keyboards can reach it to scroll it.
    <div key={key} class="table" role="region" aria-label={reading.text.table} tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map((one, column) => cell(one, column, 'th'))}</tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>{cells.map((one, column) => cell(one, column, 'td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderBlock(
  token: Token,
  key: number,
  reading: Reading,
  isOpen: boolean,
): ComponentChildren {
  switch (token.type) {
    case 'paragraph':
      return <p key={key}>{renderInline(token.tokens ?? [], reading)}</p>;
    case 'heading': {
      // The panel's title is an h2, and models start at any level.
      const { depth, tokens } = token as Tokens.Heading;
      const Tag = depth <= 3 ? 'h3' : depth === 4 ? 'h4' : 'h5';
      return (
        <Tag key={key} class={depth > 2 ? 'minor' : undefined}>
          {renderInline(tokens, reading)}
        </Tag>
      );
    }
    case 'code': {
      const { text: code, lang, raw } = token as Tokens.Code;
      const lastLine = raw.slice(raw.lastIndexOf('\n', raw.length - 2) + 1);
      const isClosed =
        !isOpen || (lastLine.length < raw.length && /^\s*(`{3,}|~{3,})\s*$/.test(lastLine));
      return <CodeBlock key={key} code={code} info={lang ?? ''} isOpen={!isClosed} />;
    }
    case 'blockquote': {
      const { tokens } = token as Tokens.Blockquote;
      return <blockquote key={key}>{renderBlocks(tokens, reading, isOpen)}</blockquote>;
    }
    case 'list': {
      const { ordered, start, items, loose } = token as Tokens.List;
      // A class, so that visible items keep their nodes if a blank line follows.
      const kind = loose ? 'loose' : 'tight';
      const children = items.map(({ task, tokens }, index) => (
        <li key={index} class={task ? 'task' : undefined}>
          {renderBlocks(tokens, reading, isOpen && index === items.length - 1)}
        </li>
      ));
      return ordered ? (
        <ol key={key} class={kind} start={Number(start) || 1}>
          {children}
        </ol>
      ) : (
        <ul key={key} class={kind}>
          {children}
        </ul>
      );
    }
    case 'table':
      return table(token as Tokens.Table, key, reading);
    case 'hr':
      return <hr key={key} />;
    case 'checkbox':
      return (
        <input key={key} type="checkbox" checked={(token as Tokens.Checkbox).checked} disabled />
      );
    case 'space':
      return null;
    default: {
      const inline = renderInline(('tokens' in token && token.tokens) || [token], reading);
      return <p key={key}>{inline}</p>;
    }
  }
}

function renderBlocks(
  tokens: readonly Token[],
  reading: Reading,
  isOpen: boolean,
): ComponentChildren {
  return tokens.map((token, index) =>
    renderBlock(token, index, reading, isOpen && index === tokens.length - 1),
  );
}

export interface MarkdownProps {
  text: string;
  sources: readonly Source[];
  isStreaming: boolean;
}

export function Markdown({ text: source, sources, isStreaming }: MarkdownProps) {
  const text = useText();
  const blocks = useRef(createBlocks());
  const nodes = useMemo(() => new WeakMap<Block, ComponentChildren>(), [sources.length, text]);
  const reading: Reading = { text, cite: (id) => sources.find((one) => one.id === id) };
  return (
    <div class="markdown" dir={directionOfText(source)}>
      {blocks.current.update(source, !isStreaming).map((block) => {
        const known = nodes.get(block);
        if (known) return known;
        const node = (
          <BlockBoundary key={block.key}>
            {renderBlock(block.token, 0, reading, block.isOpen)}
          </BlockBoundary>
        );
        if (!block.isOpen) nodes.set(block, node);
        return node;
      })}
    </div>
  );
}
