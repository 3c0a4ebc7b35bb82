import { writeMarkdown } from './markdown-html.ts';

export const previewTasks = {
  markdownHtml: (texts: Parameters<typeof writeMarkdown>[0][]) => texts.map(writeMarkdown),
};
