import type { CheckName, ChecksReport } from '@docent/shared/agent-checks';
import { type Html, markup, visible } from './html.ts';
import { plural } from './layout.ts';

const names: Record<CheckName, string> = {
  links: 'Links',
  anchors: 'Anchors',
  images: 'Images',
  frontmatter: 'Frontmatter',
  navigation: 'Navigation',
  fences: 'Code blocks',
  mdx: 'MDX',
  command: 'The project’s own check',
};

const signs = { passed: '✓', failed: '✕', skipped: '–' } as const;

/** What the checks of the documentation said. */
export function checkList({ checks, problems, more }: ChecksReport): Html {
  return markup`<ul class="checks">${checks.map(
    ({ name, status, note }) =>
      markup`<li class="${status}"><span class="sign" aria-hidden="true">${signs[status]}</span><span>${names[name]} <span class="quiet">${status}${note !== undefined && `: ${note}`}</span></span></li>`,
  )}</ul>${
    problems.length > 0 &&
    markup`<ul class="problems">${problems.map(
      ({ path, line, message }) =>
        markup`<li><code>${visible(path)}${line !== undefined && `:${line}`}</code> ${message}</li>`,
    )}</ul>`
  }${more > 0 && markup`<p class="quiet">and ${plural(more, 'more problem')}</p>`}`;
}
