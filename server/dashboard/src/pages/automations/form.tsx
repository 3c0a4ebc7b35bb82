import type {
  AutomationChange,
  AutomationsReply,
  AutomationTask,
  AutomationTrigger,
  NewAutomation,
} from '@docent/shared/automations';
import { useState } from 'preact/hooks';
import { Segmented } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Proposals } from './proposals.tsx';
import { readCron, rhythms } from './words.ts';

interface AutomationFormProps {
  submit: string;
  name: string;
  task: AutomationTask;
  trigger: AutomationTrigger;
  instruction: string;
  asDraft: boolean;
  intro?: string;
  /** Those that a new one can be for. */
  projects?: AutomationsReply['projects'];
  onCancel: () => void;
  onSubmit: (body: NewAutomation & AutomationChange) => Promise<unknown>;
}

const newWords: Record<AutomationTask['about'], string> = {
  links: 'After each merge',
  gaps: 'With new gaps',
  ratings: 'With new ratings',
  stale: 'Once a month',
  code: 'After each merge',
  drift: 'After each merge',
  release: 'With each release',
  words: '',
};

export function AutomationForm(props: AutomationFormProps) {
  const { task, trigger, projects = [] } = props;
  const [on, setOn] = useState(trigger.on);
  const [project, setProject] = useState(projects[0]);
  const given = trigger.on === 'schedule' ? trigger : undefined;
  const known = readCron(given?.cron ?? '0 7 * * 1');
  const [rhythm, setRhythm] = useState<string>(known?.rhythm.value ?? 'cron');
  const [repository, setRepository] = useState<string>();
  const isCounted = task.about === 'gaps' || task.about === 'ratings';

  const triggerOf = (data: FormData): AutomationTrigger => {
    if (on === 'call') return { on };
    if (on === 'change')
      return { on, count: isCounted ? Number(textOf(data, 'trigger.count')) : 1 };
    const fields = rhythms.find(({ value }) => value === rhythm)?.fields;
    const [hour, minute] = textOf(data, 'time').split(':').map(Number);
    const cron =
      fields === undefined ? textOf(data, 'trigger.cron') : `${minute} ${hour} ${fields}`;
    return { on, cron, timeZone: textOf(data, 'trigger.timeZone') };
  };
  const taskOf = (data: FormData): AutomationTask => {
    if (task.about === 'code' || task.about === 'drift') {
      const since = textOf(data, 'since');
      const named = { ...task, repository: textOf(data, 'task.repository') };
      return since === '' ? named : { ...named, since };
    }
    if (task.about === 'release') {
      return { ...task, repository: textOf(data, 'task.repository') };
    }
    if (task.about === 'stale') return { ...task, months: Number(textOf(data, 'task.months')) };
    return task;
  };
  const save = (data: FormData) => {
    const body = {
      name: textOf(data, 'name'),
      trigger: triggerOf(data),
      instruction: textOf(data, 'instruction'),
      asDraft: data.get('asDraft') !== null,
    };
    const whole = { ...body, project: project?.id ?? '', task: taskOf(data) };
    return props.onSubmit(project ? whole : (body as typeof whole));
  };
  return (
    <Form submit={props.submit} onCancel={props.onCancel} onSubmit={save}>
      {props.intro && <p>{props.intro}</p>}
      <Field name="name" label="Name">
        <input required maxLength={100} autoComplete="off" defaultValue={props.name} autoFocus />
      </Field>
      {projects.length > 1 && (
        <Field name="project" label="Project">
          <select
            onChange={({ currentTarget: { value } }) =>
              setProject(projects.find(({ id }) => id === value))
            }
          >
            {projects.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </Field>
      )}
      {project && 'repository' in task && (
        <Field name="task.repository" label="Code repository">
          <select
            key={project.id}
            onChange={({ currentTarget: { value } }) => setRepository(value)}
          >
            {project.code.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
      )}
      {project && task.about === 'code' && (
        <Proposals
          key={`${project.id} ${repository}`}
          project={project.id}
          repository={repository ?? project.code[0] ?? ''}
        />
      )}
      {project && task.about === 'stale' && (
        <Field name="task.months" label="Months without a change">
          <input type="number" required min={1} max={120} defaultValue={String(task.months)} />
        </Field>
      )}
      <Segmented
        label="When"
        value={on}
        options={[
          ...(task.about === 'words' ? [] : [{ value: 'change', label: newWords[task.about] }]),
          { value: 'schedule', label: 'On a schedule' },
          { value: 'call', label: 'When called' },
        ]}
        onChange={(value) => setOn(value as typeof on)}
      />
      {on === 'change' && isCounted && (
        <Field name="trigger.count" label="How many new ones">
          <input
            type="number"
            required
            min={1}
            max={1000}
            defaultValue={String(trigger.on === 'change' ? trigger.count : 3)}
          />
        </Field>
      )}
      {on === 'schedule' && (
        <>
          <div class="pair">
            <Field name="rhythm" label="How often">
              <select value={rhythm} onChange={({ currentTarget: { value } }) => setRhythm(value)}>
                {rhythms.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
                <option value="cron">Cron expression</option>
              </select>
            </Field>
            {rhythm === 'cron' ? (
              <Field key="cron" name="trigger.cron" label="Cron expression">
                <input
                  required
                  maxLength={100}
                  autoComplete="off"
                  spellcheck={false}
                  defaultValue={given?.cron ?? '0 7 * * 1'}
                />
              </Field>
            ) : (
              <Field key="time" name="time" label="Time">
                <input type="time" required defaultValue={known?.time ?? '07:00'} />
              </Field>
            )}
          </div>
          <Field name="trigger.timeZone" label="Time zone">
            <input
              required
              maxLength={100}
              autoComplete="off"
              spellcheck={false}
              list="time-zones"
              defaultValue={given?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
            />
          </Field>
          <datalist id="time-zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
      <Field
        name="instruction"
        label={task.about === 'words' ? 'Instruction' : 'Instruction (optional)'}
        help={
          task.about === 'links'
            ? 'With words of yours, the language model repairs the links. Without, those with one clear target are repaired, and no model is asked.'
            : 'Your words for the agent, such as “Keep the pages short”.'
        }
      >
        <textarea
          rows={4}
          maxLength={8000}
          required={task.about === 'words'}
          defaultValue={props.instruction}
        />
      </Field>
      <Field name="asDraft" label="Open pull requests as drafts">
        <input type="checkbox" defaultChecked={props.asDraft} />
      </Field>
    </Form>
  );
}
