/** Title and commit message: plain text, one line, short. */
import { clean, neutralPlain, shorten } from './neutral-text.ts';

const maxTitle = 72;
const usualTitle = 'Update the documentation';

/** What the agent calls its work; without it, the instruction says what was wanted. */
export function pullTitle(title: string | undefined, instruction: string): string {
  return toTitle(title ?? '') ?? toTitle(instruction) ?? usualTitle;
}

function toTitle(text: string): string | undefined {
  const line = clean(text)
    .split('\n')
    .map((one) =>
      one
        .replace(/^[\s>#*+-]+/, '')
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/<[^>]*>/g, '')
        .replace(/https?:\/\/(\S+)/g, '$1')
        .replace(/[`*]/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  const plain = neutralPlain(line).replace(/(?<!\.)\.$/, '');
  return shorten(plain, maxTitle);
}

export interface CommitText {
  title: string;
  /** What was changed and why. */
  summary?: string | undefined;
  /** The last lines, such as `Docent-Job: …`; publishing finds the commit by them. */
  trailers?: readonly string[];
}

/** Lines of the summary cannot pretend to be trailers: only the last paragraph has any, and that is ours. */
export function commitMessage({ title, summary, trailers = [] }: CommitText): string {
  const words = neutralPlain(summary ?? '')
    .replace(/^([ \t]*)([A-Za-z][A-Za-z0-9-]*-[A-Za-z0-9-]*|Cc)(?=:)/gm, '$1$2 ')
    .trim();
  const body = wrap(shorten(words, 4000), 72);
  return `${[title, body, trailers.join('\n')].filter(Boolean).join('\n\n')}\n`;
}

function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const lines: string[] = [];
      let current = '';
      for (const word of line.split(' ')) {
        if (current !== '' && current.length + word.length >= width) {
          lines.push(current);
          current = word;
        } else current = current === '' ? word : `${current} ${word}`;
      }
      return [...lines, current.trimEnd()];
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}
