/** The tools of the agent's loop, with what they give back made into data again. */
import { DocsProblem } from '@docent/shared/agent-checks';
import { z } from 'zod';
import { ToolFailed, type CallTool } from './replay.ts';

export type Hands = ReturnType<typeof createHands>;

const Problems = z.object({ problems: z.array(DocsProblem), more: z.number() });
export type Checked = z.infer<typeof Problems>;

export function createHands(call: CallTool, tools: ReadonlySet<string>) {
  return {
    has: (tool: string) => tools.has(tool),

    /** Paths that fit a pattern; folders, each ending in `/`, where they are too many to name. */
    async list(glob?: string): Promise<string[]> {
      const text = await call('list', glob === undefined ? {} : { glob });
      if (/^(No file fits|There are no files)/.test(text)) return [];
      return text.split('\n').flatMap((line) => {
        if (/^\d+ files, too many|^… and \d+ more/.test(line)) return [];
        return line.replace(/ \(\d+\)$/, '');
      });
    },

    /** Files with lines that fit; `isAll` says whether every one was found. */
    async search(expression: string, glob?: string): Promise<{ paths: string[]; isAll: boolean }> {
      const text = await call('search', {
        query: expression,
        regex: true,
        limit: 100,
        ...(glob !== undefined && { glob }),
      });
      if (text.startsWith('Nothing found')) return { paths: [], isAll: true };
      const [, ...blocks] = text.replace(/^\d+ match(es)?\n/, '\n\n').split(/\n\n/);
      const paths = blocks.flatMap((block) => {
        const [path = '', second = ''] = block.replace(/^\n+/, '').split('\n');
        return /^[> ] /.test(second) || second === '' ? [path] : [];
      });
      const isCut = /\n\((?:Cut here|Only the first|The search was ended)[^\n]*\)\s*$/.test(text);
      return {
        paths: [...new Set(paths.filter((path) => path !== '' && !/^[>( ]/.test(path)))],
        isAll: !isCut,
      };
    },

    /** All of a file, without its last line break; the first lines where `to` is given. */
    async read(path: string, to?: number): Promise<string> {
      const lines: string[] = [];
      for (let from = 1; ;) {
        const text = await call('read', {
          path,
          ...(from > 1 && { from }),
          ...(to !== undefined && { to }),
        });
        if (text === 'The file is empty.') return '';
        const [body = '', more] = text.split(
          /\n\(Lines \d+ to \d+ of \d+\.(?: Read on from line (\d+)\.)?\)$/,
        );
        for (const line of body.split('\n')) lines.push(line.replace(/^\d+\t/, ''));
        const next = Number(more);
        if (!(next > from) || (to !== undefined && next > to)) return lines.join('\n');
        from = next;
      }
    },

    async edit(path: string, oldText: string, newText: string, replaceAll = false): Promise<void> {
      await call('edit', { path, oldText, newText, ...(replaceAll && { replaceAll }) });
    },

    async write(path: string, content: string): Promise<void> {
      await call('write', { path, content });
    },

    async move(from: string, to: string): Promise<void> {
      await call('move', { from, to });
    },

    async delete(path: string): Promise<void> {
      await call('delete', { path });
    },

    /** What the change breaks; with a pattern, all that is broken there. */
    async check(everything?: { glob: string | undefined }): Promise<Checked> {
      if (!tools.has('check')) return { problems: [], more: 0 };
      const { glob } = everything ?? {};
      const input =
        everything === undefined ? {} : { everything: true, ...(glob !== undefined && { glob }) };
      const text = await call('check', input);
      const json = text.slice(text.indexOf('{'));
      return json.startsWith('{') ? Problems.parse(JSON.parse(json)) : { problems: [], more: 0 };
    },

    async todo(
      todos: { content: string; status: 'pending' | 'in_progress' | 'completed' | 'cancelled' }[],
    ): Promise<void> {
      if (!tools.has('todo')) return;
      // With every field: the loop fills in what is left out, and then it would be another call.
      await call('todo', { todos: todos.map((one) => ({ ...one, priority: 'medium' })) });
    },

    async finish(end: { title: string; message: string; summary?: string }): Promise<void> {
      await call('finish', end);
    },
  };
}

/** Gives the reason where a tool refuses, so that the rest goes on. */
export async function attempt(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ToolFailed) return error.message;
    throw error;
  }
}
