import type { Command } from 'commander';
import { configOption, plural, withServices } from './command.ts';

/** `docent forget`: deletes a reader's data, for the right to be forgotten. */
export function addReaderCommands(program: Command): void {
  program
    .command('forget <domain> <fp>')
    .description('delete all questions, answers, and feedback of one reader of a site')
    .addOption(configOption())
    .action((domain: string, fp: string, { config }: { config?: string }) =>
      withServices(config, async (services) => {
        const { forgetReader } = await import('../reader/conversations/retention.ts');
        const { forgetWords } = await import('../agent/jobs/forget-words.ts');
        const { organization } = services.sites.named(domain);
        const actor = { kind: 'command-line' } as const;
        const gone = await forgetReader(
          { ...services, forgetWords },
          { domain, organization, actor },
          { fp },
        );
        console.log(
          `Deleted ${plural(gone.questions, 'question')} in ${plural(gone.threads, 'conversation')}, and ${plural(gone.feedback, 'feedback item')}.`,
        );
      }),
    );
}
