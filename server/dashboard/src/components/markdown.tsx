/** An answer as its reader saw it, with the widget's own renderer, whose code comes after the page. */
import '../styles/markdown.css';
import { signal } from '@preact/signals';
import type { Markdown as Renderer } from '@docent/widget/markdown';
import { toastError } from './toast.tsx';

export interface CitedSource {
  id: string;
  title: string;
  url: string;
}

const renderer = signal<typeof Renderer | undefined>(undefined);

interface MarkdownProps {
  text: string;
  sources?: readonly CitedSource[];
  /** While an answer arrives. */
  isStreaming?: boolean;
}

export function Markdown({ text, sources = [], isStreaming = false }: MarkdownProps) {
  const Answer = renderer.value;
  if (Answer) return <Answer text={text} sources={sources} isStreaming={isStreaming} />;
  loaded ??= import('@docent/widget/markdown').then((module) => {
    renderer.value = module.Markdown;
  }, toastError);
  return <div class="markdown plain">{text}</div>;
}

let loaded: Promise<void> | undefined;
