import { render } from '@testing-library/preact';
import type { Source } from '../src/chat/message.ts';
import { Markdown } from '../src/markdown/markdown.tsx';

export const sources: Source[] = [1, 2, 3].map((number) => ({
  id: String(number),
  url: `/page-${number}#heading`,
  title: `Page ${number}`,
}));

/** Draws a text as the widget does; `grow` adds to it as a stream would. */
export function draw(text: string, isStreaming = false) {
  const show = (words: string, isOn: boolean) => (
    <Markdown text={words} sources={sources} isStreaming={isOn} />
  );
  const { container, rerender, unmount } = render(show(text, isStreaming));
  return {
    container,
    unmount,
    html: () => container.innerHTML,
    grow: (words: string, isOn = true) => rerender(show(words, isOn)),
  };
}
