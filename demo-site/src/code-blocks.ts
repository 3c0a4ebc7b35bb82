/** Turns a fenced code block into a figure with its file name and highlighted code. */
import type { Element, ElementContent } from 'hast';
import { toString } from 'hast-util-to-string';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import http from 'highlight.js/lib/languages/http';
import nginx from 'highlight.js/lib/languages/nginx';
import { common, createLowlight } from 'lowlight';
import { element, text } from './components.ts';

const lowlight = createLowlight({ ...common, dockerfile, http, nginx });
lowlight.registerAlias({
  bash: ['console', 'shell-session', 'shellscript', 'curl'],
  ini: ['env', 'dotenv', 'systemd'],
  javascript: ['mjs', 'cjs'],
  json: ['json5', 'jsonc'],
  typescript: ['mts', 'cts'],
  xml: ['vue', 'svelte', 'astro', 'mdx'],
});

export function codeBlock(pre: Element): Element {
  const code = pre.children.find((child) => child.type === 'element');
  const language = code ? languageOf(code) : undefined;
  if (code && language && lowlight.registered(language)) {
    code.children = lowlight.highlight(language, toString(code)).children as ElementContent[];
  }
  const caption = captionIn(String(code?.data?.meta ?? ''));
  // The block can scroll, so it must be focusable.
  pre.properties['tabIndex'] = 0;
  return element('figure', { className: ['code'] }, [
    ...(caption ? [element('figcaption', {}, [text(caption)])] : []),
    pre,
  ]);
}

function languageOf(code: Element): string | undefined {
  const names = code.properties['className'];
  if (!Array.isArray(names)) return undefined;
  return names
    .map(String)
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length)
    .toLowerCase();
}

/** The file name in ```` ```ts filename="app/page.ts" ```` or `title="…"`. */
function captionIn(meta: string): string {
  const match = /(?:file(?:name)?|title)=(?:"([^"]*)"|'([^']*)'|(\S+))/i.exec(meta);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
}
