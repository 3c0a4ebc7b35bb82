/** A new automation: from a template, or with one's own words. */
import type {
  Automation,
  AutomationsReply,
  AutomationTask,
  AutomationTrigger,
} from '@docent/shared/automations';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../../api/client.ts';
import { to } from '../../base.ts';
import { Dialog } from '../../components/dialog.tsx';
import { AutomationForm } from './form.tsx';

type Project = AutomationsReply['projects'][number];

export interface Template {
  title: string;
  text: string;
  task: AutomationTask;
  trigger: AutomationTrigger;
}

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const onChange = (count = 1) => ({ on: 'change', count }) as const;
const at = (cron: string) => ({ on: 'schedule', cron, timeZone }) as const;

const templates: Template[] = [
  {
    title: 'Broken links',
    text: 'Repairs links, anchors, and images after each merge. Works without a language model.',
    task: { about: 'links' },
    trigger: onChange(),
  },
  {
    title: 'Gaps of the week',
    text: 'Writes what readers asked for and didn’t find.',
    task: { about: 'gaps' },
    trigger: at('0 7 * * 1'),
  },
  {
    title: 'Bad ratings',
    text: 'Looks into what readers rated as bad.',
    task: { about: 'ratings' },
    trigger: onChange(3),
  },
  {
    title: 'Review after a code change',
    text: 'Corrects what is no longer true after a merge into a code repository.',
    task: { about: 'code', repository: '' },
    trigger: onChange(),
  },
  {
    title: 'Docs and code disagree',
    text: 'Corrects sentences that code contradicts, each with the line that shows it and a second review. All pages first, then what each merge changes.',
    task: { about: 'drift', repository: '' },
    trigger: onChange(),
  },
  {
    title: 'Release notes',
    text: 'Writes the notes of each new tag of a code repository.',
    task: { about: 'release', repository: '' },
    trigger: onChange(),
  },
  {
    title: 'Old pages',
    text: 'Compares pages that nobody has touched for long with the rest, and with the code.',
    task: { about: 'stale', months: 12 },
    trigger: at('0 7 1 * *'),
  },
  {
    title: 'Your own words',
    text: 'Follows your instruction on a schedule, or when a program calls it.',
    task: { about: 'words' },
    trigger: at('0 7 * * 1'),
  },
];

interface NewProps {
  projects: readonly Project[];
  onClose: () => void;
  onCreated: () => Promise<void>;
}

/** Why no project can have it. */
function obstacle({ task }: Template, projects: readonly Project[]): string | undefined {
  const needs = (has: (project: Project) => boolean) => projects.some(has);
  if (task.about !== 'links' && !needs(({ hasModel }) => hasModel)) {
    return 'Needs a language model (“model” of the project).';
  }
  if ('repository' in task && !needs(({ code }) => code.length > 0)) {
    return 'Needs a code repository (“code” of the project).';
  }
  if ((task.about === 'gaps' || task.about === 'ratings') && !needs(({ site }) => site !== null)) {
    return 'Needs readers (“site” of the project).';
  }
  return undefined;
}

export function NewAutomationDialog({ projects, onClose, onCreated }: NewProps) {
  const [chosen, setChosen] = useState<Template>();
  const { route } = useLocation();
  if (!chosen) {
    return (
      <Dialog title="What should it look after?" onClose={onClose} isWide>
        <div class="stack">
          {templates.map((template) => {
            const missing = obstacle(template, projects);
            return (
              <button
                key={template.title}
                type="button"
                class="card two-lines"
                disabled={missing !== undefined}
                onClick={() => setChosen(template)}
              >
                <strong>{template.title}</strong>
                <span class="quiet">{missing ?? template.text}</span>
              </button>
            );
          })}
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={chosen.title} onClose={onClose}>
      <AutomationForm
        submit="Create automation"
        name={chosen.task.about === 'words' ? '' : chosen.title}
        task={chosen.task}
        trigger={chosen.trigger}
        instruction=""
        asDraft={false}
        intro={chosen.text}
        projects={projects.filter((project) => obstacle(chosen, [project]) === undefined)}
        onCancel={() => setChosen(undefined)}
        onSubmit={async (body) => {
          const made = await send<Automation>('POST', '/v1/automations', body);
          await onCreated();
          route(to(`/automations/${made.id}`));
        }}
      />
    </Dialog>
  );
}
