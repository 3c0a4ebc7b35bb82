/** An answer as its reader saw it, with the widget's own renderer. */
import '../styles/markdown.css';
import { Markdown as Answer } from '@docent/widget/markdown';

export interface CitedSource {
  id: string;
  title: string;
  url: string;
}

export const Markdown = ({
  text,
  sources = [],
}: {
  text: string;
  sources?: readonly CitedSource[];
}) => <Answer text={text} sources={sources} isStreaming={false} />;
