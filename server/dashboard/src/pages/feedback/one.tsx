/** Feedback with its state, assignee, and notes, from which people go to its conversation or to a job. */
import type { AgentJob } from '@docent/shared/agent';
import type { FeedbackChange, FeedbackDetail } from '@docent/shared/analytics';
import type { FeedbackState } from '@docent/shared/feedback';
import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/badge.tsx';
import { Load } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { Select } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { OfSite } from '../../components/site.tsx';
import {
  JobLink,
  ofSite,
  PageLink,
  Rating,
  reasonWords,
  withSite,
} from '../../components/readers.tsx';
import { feedbackStates, stateNames } from './states.ts';

export const OneFeedback = ({ id }: { id: string }) => (
  <OfSite>{(domain) => <Feedback key={domain} domain={domain} id={id} />}</OfSite>
);

type Change = Omit<FeedbackChange, 'version'>;

function Feedback({ domain, id }: { domain: string; id: string }) {
  const path = ofSite('/v1/feedback', domain, `/${encodeURIComponent(id)}`);
  const loaded = useGet<FeedbackDetail>(path);
  return (
    <Page
      title={titleOf(loaded.data.value)}
      parent={{ href: withSite('/feedback', domain), title: 'Feedback' }}
    >
      <Load from={loaded} lines={8}>
        {(feedback) => (
          <Detail
            domain={domain}
            path={path}
            feedback={feedback}
            onChange={(next) => (loaded.data.value = next)}
          />
        )}
      </Load>
    </Page>
  );
}

const titleOf = (feedback?: FeedbackDetail) =>
  feedback ? `Feedback on ${feedback.source === 'page' ? 'a page' : 'an answer'}` : 'Feedback';

interface DetailProps {
  domain: string;
  path: string;
  feedback: FeedbackDetail;
  onChange: (feedback: FeedbackDetail) => void;
}

function Detail({ domain, path, feedback, onChange }: DetailProps) {
  const { comment, reasons, question, threadId, messageId, helpful, notes } = feedback;
  /** What this person wanted, while somebody else's change stands. */
  const [refused, setRefused] = useState<Change>();

  async function change(wanted: Change, version = feedback.version): Promise<void> {
    try {
      onChange(await send<FeedbackDetail>('PATCH', path, { ...wanted, version }));
      setRefused(undefined);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
      onChange(await get<FeedbackDetail>(path));
      setRefused(wanted);
    }
  }

  const conversation = (
    <a
      dir="auto"
      title="Open the conversation"
      href={to(withSite(`/conversations/${threadId}`, domain, { question: messageId ?? '' }))}
    >
      {question}
    </a>
  );
  return (
    <div class="two-columns">
      <div class="stack">
        <div class="row">
          <Rating isUp={helpful} />
          {reasons.map((reason) => (
            <Badge key={reason}>{reasonWords(reason)}</Badge>
          ))}
          <span class="quiet">
            <Time at={feedback.createdAt} />
          </span>
        </div>
        <p class={comment === null ? 'quiet' : 'card words'} dir="auto">
          {comment ?? 'The reader left no comment.'}
        </p>
        <Facts
          facts={[
            ['Question', question === null ? null : threadId === null ? question : conversation],
            ['Page', feedback.path === null ? null : <PageLink url={feedback.path} />],
          ]}
        />
        <Section title="Notes" description="Readers don’t see them.">
          {notes.length > 0 && (
            <ul class="list notes">
              {notes.map(({ id, author, text, createdAt }) => (
                <li key={id}>
                  <strong>{author.name}</strong>{' '}
                  <span class="quiet">
                    <Time at={createdAt} />
                  </span>
                  <p class="words" dir="auto">
                    {text}
                  </p>
                </li>
              ))}
            </ul>
          )}
          {can('PATCH /v1/feedback/{domain}/{id}') && (
            <Form
              key={notes.length}
              submit="Add note"
              onSubmit={(data) => change({ note: textOf(data, 'note') })}
            >
              <Field name="note" label="New note">
                <textarea required rows={2} maxLength={5000} />
              </Field>
            </Form>
          )}
        </Section>
      </div>
      <aside class="stack" aria-label="What the team does">
        {refused && (
          <Conflict
            wanted={refused}
            feedback={feedback}
            onKeep={() => setRefused(undefined)}
            onSave={() => void change(refused).catch(toastError)}
          />
        )}
        <State feedback={feedback} onChange={(wanted) => void change(wanted).catch(toastError)} />
        <Job domain={domain} path={path} feedback={feedback} />
      </aside>
    </div>
  );
}

interface StateProps {
  feedback: FeedbackDetail;
  onChange: (change: Change) => void;
}

function State({ feedback, onChange }: StateProps) {
  const { state, assignee, people } = feedback;
  const isDisabled = !can('PATCH /v1/feedback/{domain}/{id}');
  const left = assignee && !people.some(({ id }) => id === assignee.id);
  const assignees = [...(left ? [assignee] : []), ...people];
  return (
    <div class="card form">
      <label class="field">
        <span>State</span>
        <Select
          label="State"
          value={state}
          options={feedbackStates.map((value) => ({ value, label: stateNames[value] }))}
          isDisabled={isDisabled}
          onChange={(wanted) => onChange({ state: wanted as FeedbackState })}
        />
      </label>
      <label class="field">
        <span>Assignee</span>
        <Select
          label="Assignee"
          value={assignee?.id ?? ''}
          options={[
            { value: '', label: 'Nobody' },
            ...assignees.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          isDisabled={isDisabled}
          onChange={(wanted) => onChange({ assignee: wanted || null })}
        />
      </label>
    </div>
  );
}

interface ConflictProps {
  wanted: Change;
  feedback: FeedbackDetail;
  onKeep: () => void;
  onSave: () => void;
}

/** Shows both: what somebody else has made of it, and what this person wanted. */
function Conflict({ wanted, feedback, onKeep, onSave }: ConflictProps) {
  const { state, assignee, people } = feedback;
  const name = (id: string | null) => people.find((person) => person.id === id)?.name ?? 'Nobody';
  const mine = [
    wanted.state !== undefined && stateNames[wanted.state],
    wanted.assignee !== undefined && `assigned to ${name(wanted.assignee)}`,
    wanted.note !== undefined && 'a note',
  ].filter(Boolean);
  return (
    <div class="notice warn stack" role="alert">
      <p>
        Someone changed this feedback in the meantime. Now it’s{' '}
        <strong>
          {stateNames[state]}, assigned to {assignee?.name ?? 'nobody'}
        </strong>
        . You wanted <strong>{mine.join(', ')}</strong>, which isn’t saved.
      </p>
      <div class="row">
        <Button onClick={onKeep}>Keep theirs</Button>
        <Button kind="primary" onClick={onSave}>
          Save mine
        </Button>
      </div>
    </div>
  );
}

function Job({
  domain,
  path,
  feedback,
}: {
  domain: string;
  path: string;
  feedback: FeedbackDetail;
}) {
  const { jobId, helpful, comment } = feedback;
  const [made, setMade] = useState(jobId);
  if (made !== null) {
    return (
      <JobLink domain={domain} id={made}>
        Open its job
      </JobLink>
    );
  }
  if (helpful || comment === null || !can('POST /v1/feedback/{domain}/{id}/job')) return null;
  const create = async () => {
    const job = await send<AgentJob>('POST', `${path}/job`);
    setMade(job.id);
    toast(`Created a job for ${domain}`);
  };
  return (
    <>
      <Button onClick={() => create()}>Create a job</Button>
      <p class="quiet">
        The agent checks what the reader says, and proposes the smallest change as a draft pull
        request.
      </p>
    </>
  );
}
