import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { findConfig } from '../platform/config/load.ts';
import { publicUrlOf } from '../platform/config/schema.ts';
import { withServices } from './command.ts';
import { siteKey } from './init/place-tag.ts';

/** `docent init`: a configuration for this folder, and the script tag for its site. Writes over nothing. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description(
      'write a configuration for the documentation in this folder, and place the script tag',
    )
    .option('-y, --yes', 'insert the script tag without asking')
    .option('--html <folder>', 'read the built site in this folder instead of its sources')
    .action(init);
}

async function init({
  yes: isSure = false,
  html,
}: {
  yes?: boolean;
  html?: string;
}): Promise<void> {
  const [{ detectSite }, { placeTag }] = await Promise.all([
    import('./init/detect-site.ts'),
    import('./init/place-tag.ts'),
  ]);
  const known = findConfig();
  if (known !== undefined) console.log(`${known} exists, and stays as it is.`);
  else await (await import('./init/write-config.ts')).writeFirstConfig('.', console.log, html);
  await withServices(undefined, async (services) => {
    const [site] = services.config.sites;
    if (!site) return;
    const place = placeTag(await detectSite('.', html), {
      src: `${publicUrlOf(services.config.server)}/docent.js`,
      site: site.domain,
      key: await siteKey(services, site),
    });
    const where = relative('.', place.where) || place.where;
    if (place.isDone) console.log(`The script tag is in ${where}.`);
    else if (place.files && (isSure || (await agrees(`Insert the script tag into ${where}?`)))) {
      for (const [file, text] of place.files) await writeFile(file, text);
      const files = [...place.files.keys()].map((file) => relative('.', file));
      console.log(`Inserted the script tag: ${files.join(', ')}.`);
    } else console.log(`Put the script tag into ${where}:\n\n${place.snippet}\n`);
    if (services.config.server.publicUrl === undefined) {
      console.log(
        'The tag is for this computer. Before you publish the site, set server.publicUrl to the public address of Docent, and write it into the tag.',
      );
    }
    console.log('To try it, run `docent start`. To check everything, run `docent doctor`.');
  });
}

/** Without a terminal, nobody can agree. */
async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
