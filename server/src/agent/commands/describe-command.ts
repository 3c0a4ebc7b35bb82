import type { AgentCommand } from '@docent/shared/agent-commands';

/** The command as an instruction for people: on pages, in events, and in the pull request. */
export function describeCommand(command: AgentCommand): string {
  switch (command.type) {
    case 'add-page':
      return `Add the page “${command.title}” as ${command.path}`;
    case 'replace-text': {
      const { find, replace, path } = command;
      const what =
        replace === ''
          ? `Remove “${quoted(find)}”`
          : `Replace “${quoted(find)}” with “${quoted(replace)}”`;
      return what + placeOf(path);
    }
    case 'move-page': {
      const { from, to, title } = command;
      const name = title === undefined ? '' : `the title “${title}”`;
      if (from === to) return `Give ${from} ${name || 'the path that it has'}`;
      return `Move ${from} to ${to}${name && ` and give it ${name}`}`;
    }
    case 'fix-links':
      return `Fix broken links${placeOf(command.path)}`;
  }
}

const placeOf = (path: string | undefined) => (path === undefined ? '' : ` in ${path}`);

export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
