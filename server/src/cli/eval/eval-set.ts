/** Test questions with their expected results, one JSON object per line. */
import { readFile } from 'node:fs/promises';
import { SearchFilter } from '@docent/shared/assistant';
import { z } from 'zod';
import { DocentError } from '../../platform/errors.ts';
import { normalizePath } from '../../retrieval/page-path.ts';

const EvalQuestion = z
  .strictObject({
    question: z.string().min(1).max(8_000),
    /** Pages that answer the question; none if the documentation doesn't answer it. */
    relevant: z.array(z.string()).transform((paths) => paths.map(normalizePath)),
    /** Earlier questions of the conversation, oldest first, if the question is a follow-up. */
    before: z.array(z.string()).optional(),
    currentPath: z.string().optional(),
    filter: SearchFilter.optional(),
    /** For a question without pages: whether it's off topic, or something that the documentation lacks. */
    kind: z.enum(['off-topic', 'uncovered']).optional(),
    /** Whether it gets a pinned answer. Then nothing else is measured. */
    pinned: z.boolean().optional(),
    /** Skills that it gets. */
    skills: z.array(z.string()).optional(),
  })
  .refine(({ kind, relevant }) => kind === undefined || relevant.length === 0, {
    path: ['kind'],
    error:
      'is for questions that the documentation does not answer; write "relevant": [], or leave it out',
  });
export type EvalQuestion = z.infer<typeof EvalQuestion>;

export async function readEvalSet(file: string): Promise<EvalQuestion[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DocentError(
      'bad_request',
      `The questions ${file} cannot be read. Write one JSON object a line, such as {"question": "How do I rotate a key?", "relevant": ["/keys"]}, and name the file with --questions.`,
      { cause },
    );
  });
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const questions = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => readLine(line, `${file}:${number}`));
  if (questions.length === 0)
    throw new DocentError('bad_request', `The file ${file} has no questions.`);
  return questions;
}

function readLine(line: string, place: string): EvalQuestion {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw new DocentError('bad_request', `${place} is not JSON.`, { cause });
  }
  const read = EvalQuestion.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new DocentError(
    'bad_request',
    `${place}: ${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is not a question'}`,
  );
}
