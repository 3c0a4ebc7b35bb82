/** Instructions for a job: in words for a language model, or one of the four commands. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import { useState } from 'preact/hooks';
import { Segmented } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';

interface CommandField {
  name: string;
  label: string;
  example?: string;
  isOptional?: true;
  isLong?: true;
}

const pageOrFolder: CommandField = {
  name: 'path',
  label: 'Only in this page or folder (optional)',
  example: 'guides',
  isOptional: true,
};

const commands: Record<AgentCommand['type'], { name: string; fields: readonly CommandField[] }> = {
  'add-page': {
    name: 'Add a page',
    fields: [
      { name: 'path', label: 'Path', example: 'guides/release-notes.md' },
      { name: 'title', label: 'Title', example: 'Release notes' },
      { name: 'content', label: 'Text, as Markdown (optional)', isOptional: true, isLong: true },
      {
        name: 'after',
        label: 'Comes after the page (optional)',
        example: 'guides/upgrade.md',
        isOptional: true,
      },
    ],
  },
  'replace-text': {
    name: 'Replace text',
    fields: [
      { name: 'find', label: 'Find', isLong: true },
      {
        name: 'replace',
        label: 'Replace with (empty: remove it)',
        isOptional: true,
        isLong: true,
      },
      pageOrFolder,
    ],
  },
  'move-page': {
    name: 'Move a page',
    fields: [
      { name: 'from', label: 'Page', example: 'guides/setup.md' },
      { name: 'to', label: 'New path', example: 'guides/installation.md' },
      { name: 'title', label: 'New title (optional)', isOptional: true },
    ],
  },
  'fix-links': { name: 'Fix links', fields: [pageOrFolder] },
};

interface InstructProps {
  /** Whether there is a language model that reads words. */
  takesWords: boolean;
  label: string;
  placeholder: string;
  submit: string;
  /** `key`: the same for a form that is sent twice. */
  onSubmit: (instruction: { prompt: string } | { command: object }, key: string) => Promise<void>;
}

export function Instruct({ takesWords, label, placeholder, submit, onSubmit }: InstructProps) {
  const [how, setHow] = useState<string>(takesWords ? 'words' : 'add-page');
  // After it's sent, the form is another one: empty, and with another key.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const sendIt = async (instruction: Parameters<typeof onSubmit>[0]) => {
    await onSubmit(instruction, key);
    setKey(crypto.randomUUID());
  };
  const command = commands[how as AgentCommand['type']];
  return (
    <div class="stack" onKeyDown={sendByKey}>
      <Segmented
        label="How"
        value={how}
        options={[
          ...(takesWords ? [{ value: 'words', label: 'In words' }] : []),
          ...Object.entries(commands).map(([value, { name }]) => ({ value, label: name })),
        ]}
        onChange={setHow}
      />
      {how === 'words' ? (
        <Form
          key={`words ${key}`}
          submit={submit}
          onSubmit={(data) => sendIt({ prompt: textOf(data, 'prompt') })}
        >
          <Field name="prompt" label={label}>
            <textarea required rows={4} maxLength={20_000} placeholder={placeholder} dir="auto" />
          </Field>
        </Form>
      ) : (
        <Form
          key={`${how} ${key}`}
          submit={submit}
          onSubmit={(data) => sendIt({ command: toCommand(how, command.fields, data) })}
        >
          {command.fields.map((field) => (
            <Field key={field.name} name={`command.${field.name}`} label={field.label}>
              {field.isLong ? (
                <textarea rows={3} required={!field.isOptional} dir="auto" />
              ) : (
                <input
                  required={!field.isOptional}
                  maxLength={500}
                  spellcheck={false}
                  autocomplete="off"
                  placeholder={field.example}
                />
              )}
            </Field>
          ))}
        </Form>
      )}
    </div>
  );
}

/** Only `replace` may be empty: the text is removed. */
function toCommand(type: string, fields: readonly CommandField[], data: FormData): object {
  const given = fields.flatMap(({ name, isLong }) => {
    const value = data.get(`command.${name}`);
    const text =
      typeof value !== 'string' ? '' : isLong ? value.replaceAll('\r\n', '\n') : value.trim();
    return text === '' && name !== 'replace' ? [] : [[name, text]];
  });
  return { type, ...(Object.fromEntries(given) as object) };
}

/** Ctrl+Enter, or Cmd+Enter on a Mac. */
function sendByKey(event: KeyboardEvent): void {
  const { target } = event;
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  if (event.repeat || !(target instanceof HTMLElement)) return;
  const form = target.closest('form');
  if (!form) return;
  event.preventDefault();
  form.requestSubmit();
}
