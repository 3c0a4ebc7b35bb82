/** Tools that show files of the project's code repositories, which nothing can change. */
import { z } from 'zod';
import { FileError } from '../../workspace/file-error.ts';
import { list, read, search } from './read-files.ts';
import type { Tool } from './tool.ts';

const repository = z.string().describe('Name of the code repository');

const ofCode = (tool: Tool, description: string): Tool => ({
  ...tool,
  description,
  input: (tool.input as z.ZodObject).extend({ repository }),
  async run(input, context) {
    const { repository: name, ...rest } = input as { repository: string };
    if (!context.code) throw new FileError('The project has no code repositories.');
    return tool.run(rest, { ...context, files: await context.code.open(name) });
  },
});

export const codeTools = {
  code_list: ofCode(
    list,
    'Lists the paths of a code repository, all or those that fit a pattern. You can only read there.',
  ),
  code_search: ofCode(
    search,
    'Finds lines that hold a text, or fit an expression, in a code repository; shows path, line number and line.',
  ),
  code_read: ofCode(
    read,
    'Shows a file of a code repository with line numbers, which are not part of it.',
  ),
};
