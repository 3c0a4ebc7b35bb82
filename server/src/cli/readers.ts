import type { Command, Option } from 'commander';
import { loadConfig } from '../platform/config/load.ts';

/** `docent forget`: what the law calls the right to be forgotten. */
export function addReaderCommands(program: Command, configOption: () => Option): void {
  program
    .command('forget <domain> <fp>')
    .description('delete all questions, answers and feedback of one reader of a site')
    .addOption(configOption())
    .action(async (domain: string, fp: string, { config }: { config?: string }) => {
      const loaded = await loadConfig(config);
      const [{ openServices }, { forgetReader }] = await Promise.all([
        import('../open-services.ts'),
        import('../reader/conversations/retention.ts'),
      ]);
      const services = await openServices(loaded);
      try {
        const site = services.sites.named(domain);
        const gone = await forgetReader(services, site.domain, fp);
        console.log(
          `Deleted ${count(gone.questions, 'question')} in ${count(gone.threads, 'conversation')}, and ${count(gone.feedback, 'opinion')}.`,
        );
      } finally {
        await services.close();
      }
    });
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
