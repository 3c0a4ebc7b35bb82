/**
 * The owner's words that stand beside the pages: `.docent/instructions.md`, `.docent/answers/<name>.md`, and
 * `.docent/skills/<name>/SKILL.md`, at the root of the repository or in the folder of the pages.
 */
import {
  InstructionsFile,
  maxPinned,
  maxSkills,
  PinnedAnswerRequest,
  SkillFile,
} from '@docent/shared/words';
import type { z } from 'zod';
import { insideOf } from '../generators/paths.ts';
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { frontmatterOf } from '../parsing/parse.ts';
import type { SourceRun } from './page-source.ts';
export interface WordFile {
  path: string;
  text: string;
}

export type OwnerWord =
  | ({ kind: 'instructions'; name: string } & z.output<typeof InstructionsFile>)
  | ({ kind: 'skill'; name: string } & z.output<typeof SkillFile>)
  | ({ kind: 'answer'; name: string } & z.output<typeof PinnedAnswerRequest>);

export const maxWordBytes = 65_536;
/** Where they are below `.docent`. */
export const wordPlaces = [
  { kind: 'answer', pattern: /^answers\/([\w.-]{1,100})\.md$/, folder: 'answers', include: '*.md' },
  {
    kind: 'skill',
    pattern: /^skills\/([\w.-]{1,100})\/SKILL\.md$/,
    folder: 'skills',
    include: '*/SKILL.md',
  },
  { kind: 'instructions', pattern: /^(instructions)\.md$/ },
] as const;
const most = { answer: maxPinned, skill: maxSkills, instructions: 1 };

/** The path below `.docent` of a file that holds the owner's words. */
export function wordPath(path: string): string | undefined {
  const below = insideOf(path, '.docent') ?? '';
  return wordPlaces.some(({ pattern }) => pattern.test(below)) ? below : undefined;
}

/** What can't be used is left out with a warning: half of it would say something else. */
export async function readOwnerWords(
  files: readonly WordFile[],
  { parse, onWarning }: Pick<SourceRun, 'parse' | 'onWarning'>,
): Promise<OwnerWord[]> {
  const words = new Map<string, OwnerWord>();
  const count = { answer: 0, skill: 0, instructions: 0 };
  for (const { path, text } of files) {
    const skip = (why: string) => onWarning(`.docent/${path}: not used, because ${why}.`);
    const place = wordPlaces.find(({ pattern }) => pattern.test(path));
    const name = place?.pattern.exec(path)?.[1];
    if (!place || name === undefined) continue;
    const { kind } = place;
    if (text.length > maxWordBytes) skip('it is longer than 64 kB');
    else if (words.has(path)) skip('another source has a file with this name');
    else if (count[kind] >= most[kind]) skip(`a site has at most ${most[kind]} of these`);
    else {
      const front = await frontmatterOf(text, parse);
      const schema = {
        answer: PinnedAnswerRequest,
        skill: SkillFile,
        instructions: InstructionsFile,
      }[kind];
      const { name: _, ...data } = front.data ?? {};
      const body = front.isPresent ? withoutFrontmatter(text) : text;
      const read = schema.safeParse({ ...data, text: body.trim() });
      const [issue] = read.error?.issues ?? [];
      if (front.problem) skip(`its frontmatter can't be read: ${front.problem.reason}`);
      else if (issue) skip(`${issue.path.join('.') || 'it'}: ${issue.message}`);
      else {
        count[kind] += 1;
        words.set(path, { ...read.data, kind, name } as OwnerWord);
      }
    }
  }
  return [...words.values()];
}
