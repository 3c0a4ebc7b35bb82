import { checkTitles, type ChecksReport, toldChecks } from '@docent/shared/agent-checks';
import { type Html, markup, visible } from './html.ts';
import { plural } from './layout.ts';

const signs = { passed: '✓', failed: '✕', skipped: '–' } as const;
const words = { passed: 'passed', failed: 'failed', skipped: 'not checked' } as const;

/** Results of the documentation checks. */
export function checkList(report: ChecksReport): Html {
  const { problems, more } = report;
  return markup`<ul class="checks">${toldChecks(report).map(
    ({ name, status, note }) =>
      markup`<li class="${status}"><span class="sign" aria-hidden="true">${signs[status]}</span><span>${checkTitles[name]} <span class="quiet">${words[status]}${note !== undefined && `: ${note}`}</span></span></li>`,
  )}</ul>${
    problems.length > 0 &&
    markup`<ul class="problems">${problems.map(
      ({ path, line, message }) =>
        markup`<li><code>${visible(path)}${line !== undefined && `:${line}`}</code> ${message}</li>`,
    )}</ul>`
  }${more > 0 && markup`<p class="quiet">and ${plural(more, 'more problem')}</p>`}`;
}
