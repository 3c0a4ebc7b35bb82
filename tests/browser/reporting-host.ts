/** A host whose readers can say that a page is wrong: its documentation is an agent's project. */
import { makeRepository } from '../support/docs-repository.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { toModel } from '../support/start-docent.ts';
import { type HostOptions, startWidgetHost, type WidgetHost } from './widget-host.ts';

export type ReportingHost = Omit<WidgetHost, 'model'> & { model: NonNullable<WidgetHost['model']> };

/** As `startWidgetHost`; one model answers readers and would do the project's jobs. */
export async function startReportingHost(
  answer: NonNullable<HostOptions['answer']>,
  options: Pick<HostOptions, 'isDocs'> = {},
): Promise<ReportingHost> {
  const model = await startScriptedModel(answer);
  const docs = await makeRepository({ 'docs/install.md': '# Install\n\nRun `kestrel instal`.\n' });
  const host = await startWidgetHost({
    ...options,
    answer: null,
    models: { main: toModel(model.url) },
    site: { model: 'main' },
    sites: { 'kestrel-docs': { feedback: { createJobs: 'after-review' } } },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        site: 'kestrel-docs',
        model: 'main',
      },
    ],
  });
  return {
    ...host,
    model,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await docs[Symbol.asyncDispose]();
      await model.close();
    },
  };
}
