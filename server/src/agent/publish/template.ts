/** The repository's own form for pull requests: its headings and check lists stay, our words go in. */
import type { DocsFiles } from '../workspace/tree.ts';

/** Where GitHub, Gitea, Forgejo, and GitLab look, the first first. A folder of several templates has no default. */
const places = [
  /^\.(?:github|gitea|forgejo)\/pull_request_template\.(?:md|txt)$/i,
  /^pull_request_template\.(?:md|txt)$/i,
  /^docs\/pull_request_template\.(?:md|txt)$/i,
  /^\.github\/pull_request_template\/(?:default|pull_request_template)\.md$/i,
  /^(?:docs\/)?pull_request_template\/(?:default|pull_request_template)\.md$/i,
  /^\.gitlab\/merge_request_templates\/default\.md$/i,
];
const maxLength = 20_000;

export async function findTemplate(files: DocsFiles): Promise<string | undefined> {
  const candidates = [...files.paths()].filter((path) => /_template|_templates\//i.test(path));
  const path = places
    .map((place) => candidates.find((one) => place.test(one)))
    .find((one) => one !== undefined);
  if (path === undefined) return undefined;
  const text = (await files.read([path]))
    .get(path)
    ?.toString('utf8')
    .replace(/^\uFEFF/, '');
  if (text === undefined || text.trim() === '' || text.length > maxLength) return undefined;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .trim();
}

/** Under the heading that asks what was done; before everything where none does. */
export function fillTemplate(template: string, content: string): string {
  const lines = template.split('\n');
  let fence = '';
  const at = lines.findIndex((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3) ?? '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    return (
      fence === '' &&
      /^ {0,3}#{1,4}\s.*\b(?:descri\w+|summary|what|changes?|overview|about|proposed|purpose|beschreibung|zusammenfassung|résumé|descripción)\b/iu.test(
        line,
      )
    );
  });
  if (at < 0) return `${content}\n\n${template}`;
  return [...lines.slice(0, at + 1), '', content, '', ...lines.slice(at + 1)]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}
