import type { Command } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { publicUrlOf } from '../platform/config/schema.ts';
import { DocentError } from '../platform/errors.ts';
import { configOption } from './command.ts';

interface WidgetCommand {
  config?: string;
  site?: string;
  json?: boolean;
}

/** `docent widget`: the tag that pins a page to today's build of the widget. */
export function addWidgetCommand(program: Command): void {
  program
    .command('widget')
    .description('print the script tag with the hash of the widget that this server has')
    .addOption(configOption())
    .option('--site <domain>', 'a site of the configuration (default: the first)')
    .option('--json', 'print the hash of each file')
    .action(async ({ config: file, site, json }: WidgetCommand) => {
      const { config } = await loadConfig(file, { isCommand: true });
      const [{ createWidgetBuild }, { manifestOf }] = await Promise.all([
        import('../platform/http/widget-files.ts'),
        import('../platform/http/widget-files.ts'),
      ]);
      const build = await createWidgetBuild()();
      if (!build) {
        throw new DocentError('not_found', 'The widget is not built: run `pnpm build` first.');
      }
      const manifest = manifestOf(build.id, build.files);
      if (json) return console.log(JSON.stringify(manifest, null, 2));
      const domains = config.sites.map((each) => each.domain);
      if (site !== undefined && !domains.includes(site)) {
        throw new DocentError(
          'not_found',
          `There is no site ${site}: write one of ${domains.join(', ')}.`,
        );
      }
      const base = publicUrlOf(config.server);
      console.log(
        [
          `<script src="${base}${manifest.loader.path}"`,
          `  integrity="${manifest.loader.integrity}" crossorigin="anonymous"`,
          `  data-site="${site ?? domains[0]}" data-key="svc_dsc_…" async></script>`,
        ].join('\n'),
      );
      console.log(
        '\nReplace svc_dsc_… with your assistant key. The tag is for this build only, so print it again after an upgrade.',
      );
    });
}
