/** Forms for new jobs and follow-ups: the four commands, and an instruction in words for a language model. */
import { AgentCommand } from '@docent/shared/agent-commands';
import type { InstructionFields } from '../jobs/instructions.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { parse } from '../../platform/http/request.ts';
import { type Html, markup } from './html.ts';

interface Field {
  name: string;
  label: string;
  example?: string;
  /** A hint for a field that may be empty. */
  optional?: string;
  /** Several lines. */
  isLong?: true;
}

interface CommandForm {
  type: AgentCommand['type'];
  name: string;
  fields: readonly Field[];
}

const pageOrFolder: Field = {
  name: 'path',
  label: 'Only in this page or folder',
  example: 'guides',
  optional: 'optional',
};

const commandForms: readonly CommandForm[] = [
  {
    type: 'add-page',
    name: 'Add a page',
    fields: [
      { name: 'path', label: 'Path', example: 'guides/release-notes.md' },
      { name: 'title', label: 'Title', example: 'Release notes' },
      { name: 'content', label: 'Text, as Markdown', optional: 'optional', isLong: true },
      {
        name: 'after',
        label: 'Comes after the page',
        example: 'guides/upgrade.md',
        optional: 'optional',
      },
    ],
  },
  {
    type: 'replace-text',
    name: 'Replace text',
    fields: [
      { name: 'find', label: 'Find', isLong: true },
      {
        name: 'replace',
        label: 'Replace with',
        optional: 'leave empty to remove it',
        isLong: true,
      },
      pageOrFolder,
    ],
  },
  {
    type: 'move-page',
    name: 'Move or rename a page',
    fields: [
      { name: 'from', label: 'Page', example: 'guides/setup.md' },
      { name: 'to', label: 'New path', example: 'guides/installation.md' },
      { name: 'title', label: 'New title', optional: 'optional' },
    ],
  },
  { type: 'fix-links', name: 'Fix broken links', fields: [pageOrFolder] },
];

export interface FormOptions {
  /** Address of the forms. */
  action: string;
  /** Text of the button. */
  submit: string;
}

/** The four commands. Browsers open one at a time. */
export function writeCommandForms({ action, submit }: FormOptions): Html {
  return markup`<div class="commands">${commandForms.map(
    ({ type, name, fields }) =>
      markup`<details name="command"><summary>${name}</summary><form method="post" action="${action}" class="composer"><input type="hidden" name="type" value="${type}">${writeOnce()}${fields.map((field) => writeField(type, field))}<div class="buttons"><button class="primary">${submit}</button></div></form></details>`,
  )}</div>`;
}

function writeField(type: string, { name, label, example, optional, isLong }: Field): Html {
  const id = `${type}-${name}`;
  const rest = markup` id="${id}" name="${name}"${example !== undefined && markup` placeholder="${example}"`}${optional === undefined && markup` required`}`;
  return markup`<label for="${id}">${label}${optional !== undefined && markup` <span class="quiet">(${optional})</span>`}</label>${
    isLong
      ? markup`<textarea${rest} rows="2"></textarea>`
      : markup`<input${rest} maxlength="500" spellcheck="false" autocomplete="off">`
  }`;
}

/** A text box for an instruction in words. */
export function writePromptForm(
  { action, submit }: FormOptions,
  { label, placeholder, note }: { label: Html; placeholder: string; note?: Html | string },
): Html {
  return markup`<form method="post" action="${action}" class="composer">${label}<textarea id="prompt" name="prompt" rows="3" required maxlength="20000" placeholder="${placeholder}"></textarea>${writeOnce()}<div class="buttons"><button class="primary">${submit}</button>${note !== undefined && markup`<span class="quiet">${note}</span>`}</div></form>`;
}

/** An ID per form: a form that is sent twice is one request. */
export const writeOnce = (): Html => markup`<input type="hidden" name="once" value="${newId()}">`;

/** The instruction of a form, with the key that makes a repeated form the same request. */
export function readInstruction(body: unknown): InstructionFields & { idempotencyKey: string } {
  const idempotencyKey = readOnce(body);
  const fields = (body ?? {}) as Record<string, unknown>;
  const { prompt, type } = fields;
  if (type !== undefined) return { command: readCommand(fields), idempotencyKey };
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new DocentError('bad_request', 'Write an instruction first.');
  }
  if (prompt.length > 20_000) {
    throw new DocentError(
      'bad_request',
      'The instruction is too long; write at most 20,000 characters.',
    );
  }
  return { prompt: prompt.replaceAll('\r\n', '\n'), idempotencyKey };
}

export function readOnce(body: unknown): string {
  const { once } = (body ?? {}) as Record<string, unknown>;
  if (typeof once !== 'string' || !/^[0-9A-Z]{26}$/.test(once)) {
    throw new DocentError('bad_request', 'The form is incomplete. Open the page again.');
  }
  return `page ${once}`;
}

/** Browsers also send empty fields. Only `replace` may be empty: the text is removed. */
function readCommand(fields: Record<string, unknown>): AgentCommand {
  const filled = Object.entries(fields)
    .filter(([name, text]) => name === 'replace' || text !== '')
    .map(([name, text]) => [name, typeof text === 'string' ? text.replaceAll('\r\n', '\n') : text]);
  return parse(AgentCommand, Object.fromEntries(filled));
}
