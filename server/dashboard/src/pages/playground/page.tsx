/** Ask as a reader, and see how the answer came about; two models or settings side by side. */
import './playground.css';
import type { PlaygroundReply } from '@docent/shared/playground';
import type { SiteReply } from '@docent/shared/sites';
import { useRef, useState } from 'preact/hooks';
import { type ApiError, send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Notice } from '../../components/badge.tsx';
import { Empty, Failure, Load } from '../../components/empty.tsx';
import { Filters, Select, useFilters } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { SiteSelect, useSite } from '../../components/site.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { can } from '../../session.ts';
import { Trace } from './trace.tsx';

/** Model and number of sections, as the address has them; empty: the site's model, the default number. */
const settings = { model: '', sections: '', with: 'no', withSections: '' };
const asked = { q: '', page: '', earlier: '', groups: '' };
const builtIn = 'built-in';

export default function PlaygroundPage() {
  const domain = useSite();
  return (
    <Page title="Playground" description="Ask as a reader, and see how the answer came about.">
      {can('POST /v1/playground/{domain}') ? (
        domain && <Playground key={domain} domain={domain} />
      ) : (
        <Notice>To ask here, you need the role editor, because answers cost money.</Notice>
      )}
    </Page>
  );
}

/** One of the columns: being asked, answered, or failed. */
interface Attempt {
  title: string;
  reply?: PlaygroundReply;
  error?: ApiError;
}

function Playground({ domain }: { domain: string }) {
  const path = `/v1/sites/${encodeURIComponent(domain)}`;
  const site = useGet<SiteReply>(path);
  return (
    <Load from={site} lines={6}>
      {(data) => <Bench site={data} />}
    </Load>
  );
}

function Bench({ site }: { site: SiteReply }) {
  const { values, set } = useFilters({ ...asked, ...settings });
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const run = useRef(0);
  const models = [
    { value: '', label: `The site’s model (${site.model ?? 'built-in'})` },
    ...site.models.map((name) => ({ value: name, label: name })),
    { value: builtIn, label: 'Built-in, which quotes' },
  ];
  const isCompared = values.with !== 'no';

  async function ask(data: FormData) {
    const [q = '', page = '', earlier = '', groups = ''] = Object.keys(asked).map((name) =>
      textOf(data, name),
    );
    set({ q, page, earlier, groups });
    const body = {
      question: q,
      ...(page && { currentPath: page }),
      ...(earlier && { history: [{ question: earlier, answer: '' }] }),
      ...(groups && { groups: groups.split(',').map((group) => group.trim()) }),
    };
    const columns = [
      { model: values.model, sections: values.sections },
      ...(isCompared ? [{ model: values.with, sections: values.withSections }] : []),
    ];
    run.current += 1;
    const current = run.current;
    const show = (at: number, attempt: Partial<Attempt>) =>
      // An answer to the question before comes too late.
      setAttempts((all) =>
        run.current === current
          ? all.map((one, index) => (index === at ? { ...one, ...attempt } : one))
          : all,
      );
    setAttempts(
      columns.map(({ model, sections }) => ({
        title: [
          models.find(({ value }) => value === model)?.label ?? model,
          ...(sections ? [sectionsLabel(sections)] : []),
        ].join(', '),
      })),
    );
    await Promise.all(
      columns.map(({ model, sections }, at) =>
        send<PlaygroundReply>('POST', `/v1/playground/${encodeURIComponent(site.domain)}`, {
          ...body,
          ...(model && { model: model === builtIn ? null : model }),
          ...(sections && { retrievalPageSize: Number(sections) }),
        }).then(
          (reply) => show(at, { reply }),
          (error: ApiError) => show(at, { error }),
        ),
      ),
    );
  }

  return (
    <>
      <Filters>
        <SiteSelect />
        <Select
          label="Model"
          value={values.model}
          options={models}
          onChange={(model) => set({ model })}
        />
        <Select
          label="Sections"
          value={values.sections}
          options={sectionOptions}
          onChange={(sections) => set({ sections })}
        />
        <Select
          label="Compare with"
          value={values.with}
          options={[
            { value: 'no', label: 'Compare with…' },
            ...models.map(({ value, label }) => ({ value, label: `vs. ${label}` })),
          ]}
          onChange={(other) => set({ with: other })}
        />
        {isCompared && (
          <Select
            label="Sections of the other"
            value={values.withSections}
            options={sectionOptions}
            onChange={(withSections) => set({ withSections })}
          />
        )}
      </Filters>
      <Form onSubmit={ask} submit="Ask" aside={<span class="quiet ask-cost">{costs}</span>}>
        <Field name="q" label="Question" check={(text) => (text.trim() ? '' : 'Ask something.')}>
          <textarea rows={2} maxLength={8000} defaultValue={values.q} onKeyDown={sendOnEnter} />
        </Field>
        <details open={Boolean(values.page || values.earlier || values.groups)} class="raw">
          <summary>Page, earlier question, and groups</summary>
          <div class="pair">
            <Field name="page" label="Asked on the page" help="Such as /install.">
              <input maxLength={200} defaultValue={values.page} />
            </Field>
            <Field name="earlier" label="Earlier question" help="To try a follow-up.">
              <input maxLength={8000} defaultValue={values.earlier} />
            </Field>
            <Field name="groups" label="Groups" help="Separated by commas; none: public pages.">
              <input defaultValue={values.groups} />
            </Field>
          </div>
        </details>
      </Form>
      {attempts.length === 0 ? (
        <Empty icon="playground" title="Nothing asked yet">
          You see what was searched, found, and sent, what the model wrote, and what of it a reader
          gets.
        </Empty>
      ) : (
        <div class="columns">
          {attempts.map(({ title, reply, error }, at) => (
            <section key={at} class="attempt card stack" aria-label={title}>
              <h2>{title}</h2>
              {reply ? (
                <Trace reply={reply} />
              ) : error ? (
                <Failure error={error} />
              ) : (
                <>
                  <p class="quiet" role="status">
                    Thinking…
                  </p>
                  <Skeleton lines={8} />
                </>
              )}
            </section>
          ))}
        </div>
      )}
    </>
  );
}

const costs = 'Counts and costs like a reader’s question. It isn’t stored.';

const sectionsLabel = (count: string) => `${count} ${count === '1' ? 'section' : 'sections'}`;
const sectionOptions = [
  { value: '', label: 'Usual sections' },
  ...['1', '2', '3', '5', '7', '10'].map((value) => ({ value, label: sectionsLabel(value) })),
];

function sendOnEnter(event: KeyboardEvent) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}
