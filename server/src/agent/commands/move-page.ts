/** Moves or renames a page. Links, navigation, and redirects follow. */
import type { CommandOf } from '@docent/shared/agent-commands';
import { attempt, type CommandContext, openDocs, type Outcome, refuse } from './context.ts';
import { withTitle } from './edit-frontmatter.ts';
import { redirect } from './edit-navigation.ts';
import { endingOf, findPage, nameOf, newPath } from './find-page.ts';
import { followLinks } from './fix-links.ts';

export async function movePage(
  { from: written, to: target, title }: CommandOf<'move-page'>,
  context: CommandContext,
): Promise<Outcome> {
  const { files } = context;
  const before = await openDocs(context);
  const from = await findPage(written, before);
  const to = newPath(target, before, { ending: endingOf(from), name: nameOf(from) });
  const done: string[] = [];
  if (to !== from) {
    const reason = await attempt(() => files.move(from, to));
    if (reason !== undefined) refuse(`${from} can't be moved: ${reason}`);
    done.push(`Moved ${from} to ${to}.`);
  }
  if (title !== undefined) {
    const { text } = await files.read(to);
    const renamed = withTitle(text, title);
    if (renamed !== text) {
      await files.write(to, renamed);
      done.push(`Its title is “${title}” now.`);
    }
  }
  if (done.length === 0) return { done: [`The page is at ${from} already.`], open: [] };
  const followed = await followLinks(context);
  const led = to === from ? { done: [], open: [] } : await redirect(from, to, before, context);
  return {
    done: [...done, ...followed.done, ...led.done],
    open: [...followed.open, ...led.open],
  };
}
