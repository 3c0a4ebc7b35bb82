/** Replaces a text in the pages of the documentation. Links to headings that change follow. */
import type { CommandOf } from '@docent/shared/agent-commands';
import { attempt, type CommandContext, openDocs, type Outcome } from './context.ts';
import { quoted } from './describe-command.ts';
import { pagesIn } from './find-page.ts';
import { followLinks } from './fix-links.ts';

export async function replaceText(
  { find, replace, path }: CommandOf<'replace-text'>,
  context: CommandContext,
): Promise<Outcome> {
  const { files } = context;
  const state = await openDocs(context);
  const found: string[] = [];
  const wanted = find.replaceAll('\r\n', '\n');
  await state.each(await pagesIn(path, state), (page, bytes) => {
    if (bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)) found.push(page);
  });
  const where = path === undefined ? 'No page' : `Nothing in ${path}`;
  if (found.length === 0 || find === replace)
    return { done: [`${where} contains “${quoted(find)}”, so nothing changed.`], open: [] };
  const changed: string[] = [];
  const open: string[] = [];
  let count = 0;
  for (const page of found) {
    const reason = await attempt(async () => {
      count += (await files.edit(page, find, replace, { replaceAll: true })).count;
      changed.push(page);
    });
    if (reason !== undefined) open.push(`${page} stays as it is: ${reason}`);
  }
  if (changed.length === 0) return { done: ['Nothing changed.'], open };
  const pages = changed.length === 1 ? changed[0] : `${changed.length} pages`;
  const followed = await followLinks(context);
  return {
    done: [`Changed ${count} ${count === 1 ? 'place' : 'places'} in ${pages}.`, ...followed.done],
    open: [...open, ...followed.open],
  };
}
