import type { SiteSettingsReply } from '@docent/shared/sites';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Badge, Notice } from '../../components/badge.tsx';
import { Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';

/** What may change while the service runs. The configuration file wins. */
export function SiteSettings({ domain }: { domain: string }) {
  const path = `/v1/sites/${encodeURIComponent(domain)}/settings`;
  const settings = useGet<SiteSettingsReply>(path);
  return (
    <Section
      title="Assistant"
      description="Changes apply from the next question. What the configuration file sets can only be changed there."
    >
      <Load from={settings}>
        {(data) => (
          <Editor
            // A new version fills the form with what is stored.
            key={data.version}
            path={path}
            settings={data}
            onChange={(changed) => (settings.data.value = changed)}
            reload={settings.reload}
          />
        )}
      </Load>
    </Section>
  );
}

interface EditorProps {
  path: string;
  settings: SiteSettingsReply;
  onChange: (settings: SiteSettingsReply) => void;
  reload: () => Promise<void>;
}

function Editor({ path, settings, onChange, reload }: EditorProps) {
  const { starterQuestions, instructions, version, updatedAt } = settings;
  const [isStale, setStale] = useState(false);
  const mayChange = can('PATCH /v1/sites/{domain}/settings');
  const isFixed = starterQuestions.from === 'file' && instructions.from === 'file';

  async function save(data: FormData) {
    try {
      const changed = await send<SiteSettingsReply>('PATCH', path, {
        version,
        ...(starterQuestions.from !== 'file' && {
          starterQuestions: textOf(data, 'starterQuestions')
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== ''),
        }),
        ...(instructions.from !== 'file' && { instructions: textOf(data, 'instructions') }),
      });
      onChange(changed);
      toast('Saved');
    } catch (error) {
      setStale(error instanceof ApiError && error.code === 'conflict');
      throw error;
    }
  }

  const fields = (
    <>
      <Field
        name="starterQuestions"
        label={<Named setting={starterQuestions}>Starter questions</Named>}
        help="Offered in an empty panel. One in each line, at most eight."
      >
        <textarea
          rows={5}
          readOnly={!mayChange || starterQuestions.from === 'file'}
          defaultValue={starterQuestions.value.join('\n')}
        />
      </Field>
      <Field
        name="instructions"
        label={<Named setting={instructions}>Instructions</Named>}
        help="About words, tone, and product names. They can’t override the assistant’s rules, and the built-in model doesn’t use them."
      >
        <textarea
          rows={5}
          maxLength={2000}
          readOnly={!mayChange || instructions.from === 'file'}
          defaultValue={instructions.value}
        />
      </Field>
    </>
  );
  if (!mayChange || isFixed) return <div class="form">{fields}</div>;
  return (
    <>
      {updatedAt !== null && (
        <p class="quiet">
          Changed <Time at={updatedAt} />.
        </p>
      )}
      <Form submit="Save" onSubmit={save}>
        {fields}
      </Form>
      {isStale && (
        <Notice tone="warn">
          Your text is still in the form. Copy it, then{' '}
          <button type="button" class="link" onClick={() => void reload()}>
            load the newest version
          </button>
          .
        </Notice>
      )}
    </>
  );
}

const Named = ({
  setting,
  children,
}: {
  setting: SiteSettingsReply['starterQuestions' | 'instructions'];
  children: ComponentChildren;
}) => (
  <>
    {children} {setting.from === 'file' && <Badge>From the configuration file</Badge>}
  </>
);
