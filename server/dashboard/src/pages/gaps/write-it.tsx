/** Starts a job for a gap: a page that a person writes, or a brief for the agent. */
import type { AgentJob } from '@docent/shared/agent';
import type { Gap } from '@docent/shared/analytics';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Segmented } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { toast } from '../../components/toast.tsx';
import { ofSite } from '../../components/readers.tsx';

interface WriteItProps {
  domain: string;
  gap: Gap;
  onClose: () => void;
  onMade: () => void;
}

/** Questions that a job can have as its brief. */
const maxQuestions = 50;

export function WriteIt({ domain, gap, onClose, onMade }: WriteItProps) {
  const [how, setHow] = useState('page');
  const create = async (more: object) => {
    const path = ofSite('/v1/analytics', domain, '/unanswered/job');
    const messageIds = gap.examples.slice(0, maxQuestions).map(({ messageId }) => messageId);
    await send<AgentJob>('POST', path, { messageIds, ...more });
    toast('The job prepares a pull request');
    onMade();
  };
  return (
    <Dialog title="Write it" onClose={onClose} isWide>
      <div class="stack write-it">
        <Segmented
          label="How"
          value={how}
          options={[
            { value: 'page', label: 'Write a page yourself' },
            { value: 'agent', label: 'Let the agent write' },
          ]}
          onChange={setHow}
        />
        {how === 'page' ? (
          <Form
            key="page"
            submit="Create pull request"
            onCancel={onClose}
            onSubmit={(data) =>
              create({
                command: {
                  type: 'add-page',
                  path: textOf(data, 'command.path'),
                  title: textOf(data, 'command.title'),
                  content: textOf(data, 'command.content'),
                },
              })
            }
          >
            <p class="quiet">
              This needs no language model. The page gets the frontmatter and the navigation entry
              that its neighbors have.
            </p>
            <Field name="command.title" label="Title">
              <input
                required
                maxLength={200}
                defaultValue={gap.question.slice(0, 200)}
                dir="auto"
              />
            </Field>
            <Field name="command.path" label="Path" help="Below the folder of the documentation.">
              <input
                required
                maxLength={500}
                spellcheck={false}
                defaultValue={`${slugOf(gap.question)}.md`}
              />
            </Field>
            <Field name="command.content" label="Text" help="Markdown.">
              <textarea required rows={10} maxLength={100_000} dir="auto" />
            </Field>
          </Form>
        ) : (
          <Form
            key="agent"
            submit="Create job"
            onCancel={onClose}
            onSubmit={(data) => {
              const instruction = textOf(data, 'instruction');
              return create(instruction === '' ? {} : { instruction });
            }}
          >
            <p class="quiet">
              The questions are the brief. The agent writes only what the repository supports, and
              names what’s missing.
            </p>
            <Field name="instruction" label="More for the agent (optional)">
              <textarea rows={4} maxLength={10_000} placeholder="Add it to the page on billing." />
            </Field>
          </Form>
        )}
      </div>
    </Dialog>
  );
}

/** `does-billing-accept-bitcoin`: the first words of a question, as a file. */
function slugOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join('-') || 'new-page';
}
