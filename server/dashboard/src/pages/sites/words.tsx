/** What the owner says: answers word for word, and what the repository has beside the pages. */
import type { PinnedAnswer, TryWordsReply, WordsReply } from '@docent/shared/words';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Badge, Notice } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';

export function Words({ domain }: { domain: string }) {
  const path = `/v1/sites/${encodeURIComponent(domain)}`;
  const words = useGet<WordsReply>(`${path}/words`);
  const [open, setOpen] = useState<PinnedAnswer | 'new'>();
  const mayChange = can('POST /v1/sites/{domain}/pinned-answers');
  const add = mayChange && <Button onClick={() => setOpen('new')}>Pin an answer</Button>;
  const actions: Column<PinnedAnswer> = {
    title: 'Actions',
    isActions: true,
    cell: (answer) =>
      answer.from === 'dashboard' && (
        <>
          <IconButton
            icon="edit"
            label={`Edit ${nameOf(answer)}`}
            title="Edit"
            onClick={() => setOpen(answer)}
          />
          <IconButton
            icon="delete"
            label={`Delete ${nameOf(answer)}`}
            title="Delete"
            onClick={() =>
              confirm({
                title: 'Delete this answer?',
                consequences: 'The assistant answers its questions from the documentation again.',
                action: 'Delete',
                run: async () => {
                  await send('DELETE', `${path}/pinned-answers/${answer.id}`);
                  await words.reload();
                },
              })
            }
          />
        </>
      ),
  };
  return (
    <Section
      title="Pinned answers"
      description="Who asks one of these questions gets its answer word for word, without a model. Questions are the same if they have the same words in the same order, apart from capital letters, punctuation, word endings, and little words such as “the”, “do”, and “can”."
      actions={add}
    >
      <Load from={words}>
        {({ answers, skills, instructions }) => (
          <>
            <Table
              label="Pinned answers"
              columns={mayChange ? [...answerColumns, actions] : answerColumns}
              rows={answers}
              keyOf={({ id }) => id}
              empty={
                <Empty icon="conversations" title="No pinned answers">
                  Pin one here, or add <code>.docent/answers/&lt;name&gt;.md</code> to the
                  repository.
                </Empty>
              }
            />
            {answers.flatMap(({ failures }) => failures).length > 0 && (
              <Notice tone="bad">
                {answers
                  .flatMap(({ failures }) => failures)
                  .map((failure) => (
                    <div key={failure}>{failure}</div>
                  ))}
              </Notice>
            )}
            <TryIt path={`${path}/words/try`} answers={answers} />
            {instructions !== null && (
              <details>
                <summary>Instructions of the repository</summary>
                <p class="quiet">{instructions}</p>
              </details>
            )}
            {skills.length > 0 && (
              <Table
                label="Skills"
                columns={skillColumns}
                rows={skills}
                keyOf={({ name }) => name}
                empty={null}
              />
            )}
          </>
        )}
      </Load>
      {open !== undefined && (
        <Edit
          path={`${path}/pinned-answers`}
          answer={open === 'new' ? undefined : open}
          onClose={() => setOpen(undefined)}
          onSaved={words.reload}
        />
      )}
    </Section>
  );
}

const nameOf = ({ questions: [first = ''] }: PinnedAnswer) => `“${first}”`;

const answerColumns: Column<PinnedAnswer>[] = [
  {
    title: 'Questions',
    cell: ({ questions: [first, ...more] }) => (
      <Two first={first}>
        {more.length > 0 && <span class="quiet">and {formatNumber(more.length)} more</span>}
      </Two>
    ),
  },
  { title: 'Answer', cell: ({ text }) => <span class="short">{text.slice(0, 160)}</span> },
  {
    title: 'From',
    cell: ({ from, name }) => (from === 'dashboard' ? 'Dashboard' : <code>{name}.md</code>),
  },
  {
    title: 'Tests',
    cell: ({ failures, questions, tests, notFor }) => (
      <Badge tone={failures.length > 0 ? 'bad' : 'good'}>
        {failures.length > 0
          ? `${failures.length} failed`
          : `${questions.length + tests.length + notFor.length} pass`}
      </Badge>
    ),
  },
];

type Skill = WordsReply['skills'][number];

const skillColumns: Column<Skill>[] = [
  { title: 'Skill', cell: ({ name }) => <code>{name}</code>, sortBy: ({ name }) => name },
  {
    title: 'For questions about',
    cell: ({ description, keywords }) =>
      keywords.length > 0 ? keywords.join(', ') : description || '—',
  },
  {
    title: 'Characters',
    isNumber: true,
    cell: ({ characters }) => formatNumber(characters),
    sortBy: ({ characters }) => characters,
  },
];

function TryIt({ path, answers }: { path: string; answers: readonly PinnedAnswer[] }) {
  const [found, setFound] = useState<TryWordsReply>();
  const pinned = answers.find(({ id }) => id === found?.answer?.id);
  return (
    <Form
      submit="Try it"
      onSubmit={async (data) =>
        setFound(await send<TryWordsReply>('POST', path, { question: textOf(data, 'question') }))
      }
      aside={
        found && (
          <p role="status">
            {found.answer
              ? `It gets the answer to ${pinned ? nameOf(pinned) : 'another question'}.`
              : `It gets no pinned answer: none is for “${found.wording}”.`}
            {found.skills.length > 0 && ` Its skills: ${found.skills.join(', ')}.`}
          </p>
        )
      }
    >
      <Field name="question" label="A question to try">
        <input type="text" maxLength={300} required />
      </Field>
    </Form>
  );
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

interface EditProps {
  path: string;
  answer: PinnedAnswer | undefined;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function Edit({ path, answer, onClose, onSaved }: EditProps) {
  async function save(data: FormData) {
    const pinned = {
      questions: lines(textOf(data, 'questions')),
      text: textOf(data, 'text'),
      tests: lines(textOf(data, 'tests')),
      notFor: lines(textOf(data, 'notFor')),
    };
    if (answer) await send('PATCH', `${path}/${answer.id}`, { ...pinned, version: answer.version });
    else await send('POST', path, pinned);
    toast('Saved');
    onClose();
    await onSaved();
  }
  return (
    <Dialog title={answer ? 'Edit the answer' : 'Pin an answer'} onClose={onClose}>
      <Form submit="Save" onSubmit={save} onCancel={onClose}>
        <Field name="questions" label="Questions" help="One in each line: each way to ask it.">
          <textarea rows={3} required defaultValue={answer?.questions.join('\n')} />
        </Field>
        <Field name="text" label="Answer" help="Markdown. Readers get exactly this.">
          <textarea rows={6} maxLength={8000} required defaultValue={answer?.text} />
        </Field>
        <Field
          name="tests"
          label="Also gets it"
          help="For the test list: other questions that should get this answer."
        >
          <textarea rows={2} defaultValue={answer?.tests.join('\n')} />
        </Field>
        <Field
          name="notFor"
          label="Doesn’t get it"
          help="For the test list: similar questions that should not."
        >
          <textarea rows={2} defaultValue={answer?.notFor.join('\n')} />
        </Field>
      </Form>
    </Dialog>
  );
}
