/** The words of a commit and of its pull request: what changed and why, and what people should look at before they merge. */
import type { Correction } from '@docent/shared/agent-corrections';
import type { ChecksReport } from '@docent/shared/agent-checks';
import { checkTitles, toldChecks } from '@docent/shared/check-words';
import type { FileDiff } from '@docent/shared/job-pages';
import type { QuestionChanges } from '../../platform/tenants/projects.ts';
import { nameSome } from '../../platform/text.ts';
import type { TimelineEntry } from '../automations/rows.ts';
import type { Review } from '../workspace/review.ts';
import {
  clean,
  codeSpan,
  modestMarkdown,
  neutralMarkdown,
  neutralPlain,
  quote,
  shorten,
} from './neutral-text.ts';
import { fillTemplate } from './template.ts';

/** GitHub's limit, with room for the marks that `markBody` adds. */
const maxBody = 65_000;
const maxSummary = 8_000;
const maxInstruction = 4_000;
const maxInstructions = 10;
const maxFiles = 100;
const maxProblems = 20;
const maxCorrections = 40;
const maxTimeline = 20;
const maxPassage = 300;

export interface PullText {
  /** The agent's words: what and why. */
  summary: string;
  /** In the order in which they came, all of this branch. */
  instructions: readonly string[];
  /** Everything that the pull request changes. */
  files: readonly FileDiff[];
  checks?: ChecksReport | undefined;
  /** The commits at which code was read, by repository, and the places that the summary names. */
  code?: { commits: Record<string, string>; places: readonly string[] } | undefined;
  /** What code contradicts, with the second review; only what it agrees with is shown. */
  corrections?: readonly Correction[];
  /** What automations added to it, oldest first. */
  timeline?: readonly TimelineEntry[];
  /** What it does to readers' questions, if that's known. */
  questions?: QuestionChanges | undefined;
  review: Pick<Review, 'newHosts' | 'newCode' | 'protectedFiles'>;
  /** Page of the job. */
  job: { id: string; url?: string | undefined };
  /** Of this job, merged or closed. */
  formerPulls: readonly { number: number; url: string }[];
  template?: string | undefined;
}

export function pullBody(text: PullText): string {
  const { files } = text;
  const parts = [
    opening(text.summary, files.length),
    needsApproval(text),
    timelineTable(text.timeline),
    correctionTable(text.corrections),
    fileTable(files),
    codeList(text.code),
    questionList(text.questions),
    checkList(text.checks),
    instructions(text.instructions),
    origin(text),
  ].filter((part) => part !== '');
  const content = parts.join('\n\n');
  const body = text.template === undefined ? content : fillTemplate(text.template, content);
  if (body.length <= maxBody) return body;
  // Leave out whole parts, so that no quotation or table is cut.
  const short = [
    parts[0] ?? '',
    needsApproval(text),
    correctionTable(text.corrections, 10),
    fileTable(files.slice(0, 20)),
    origin(text),
  ];
  return short
    .filter((part) => part !== '')
    .join('\n\n')
    .slice(0, maxBody)
    .toWellFormed();
}

/** The summary. A list gets a sentence before it. */
function opening(summary: string, files: number): string {
  const words = modestMarkdown(shorten(summary, maxSummary));
  const sentence = `This changes ${count(files, 'file')}`;
  if (words === '') return `${sentence}.`;
  return /^(?:- |\d+[.)] )/.test(words) ? `${sentence}:\n\n${words}` : words;
}

/** At the top, because it decides whether somebody merges. */
function needsApproval({ review, checks }: PullText): string {
  const { newHosts, newCode, protectedFiles } = review;
  const lines = [
    ...newHosts.map(
      ({ host, paths }) => `- New host ${codeSpan(host)} in ${nameSome(paths.map(codeSpan), 3)}`,
    ),
    ...newCode.map(({ path, what }) => `- Code that runs: ${codeSpan(what)} in ${codeSpan(path)}`),
    ...protectedFiles.map(
      ({ path, what }) => `- Protected file ${codeSpan(path)}: ${neutralMarkdown(what)}`,
    ),
    ...(checks?.checks.some(({ status }) => status === 'failed')
      ? ['- Checks of the documentation failed, see below']
      : []),
  ];
  return lines.length === 0 ? '' : `### Needs approval\n\n${lines.join('\n')}`;
}

function fileTable(files: readonly FileDiff[]): string {
  if (files.length === 0) return '';
  const rows = files.slice(0, maxFiles).map((file) => {
    const name =
      file.from === undefined
        ? codeSpan(file.path)
        : `${codeSpan(file.from)} → ${codeSpan(file.path)}`;
    const lines =
      file.content === 'text' || file.content === 'too-long'
        ? `+${file.added} −${file.removed}`
        : file.content.replace('-', ' ');
    // In a table, a bar ends a cell even in code.
    return `| ${name.replaceAll('|', '\\|')} | ${kinds[file.kind]} | ${lines} |`;
  });
  const more = files.length - rows.length;
  return [
    '### Files',
    '',
    '| File | Change | Lines |',
    '| --- | --- | --- |',
    ...rows,
    ...(more > 0 ? ['', `And ${count(more, 'more file')}.`] : []),
  ].join('\n');
}

const cellOf = (text: string, most: number) =>
  neutralMarkdown(shorten(text, most)).replaceAll('\n', ' ');

/** The newest ones. */
function timelineTable(all: readonly TimelineEntry[] = []): string {
  if (all.length === 0) return '';
  const rows = all
    .slice(-maxTimeline)
    .map(
      ({ at, cause, change }) =>
        `| ${at.slice(0, 10)} | ${cellOf(cause, 200)} | ${cellOf(change, maxTitle)} |`,
    );
  const left = all.length - rows.length;
  return [
    '### Timeline',
    '',
    '| Date | Why | What |',
    '| --- | --- | --- |',
    ...rows,
    ...(left > 0 ? ['', `And ${count(left, 'earlier change')}.`] : []),
  ].join('\n');
}

/** The newest ones of the job; lines as they were before its run. */
function correctionTable(all: readonly Correction[] = [], most = maxCorrections): string {
  const agreed = all.filter(({ review }) => review?.agrees === true);
  if (agreed.length === 0) return '';
  const cell = (text: string) => (text.trim() === '' ? '*(taken out)*' : cellOf(text, maxPassage));
  const rows = agreed.slice(-most).map(({ page, line, before, after, code, review }) => {
    const place = codeSpan(`${code.repository}:${code.path}:${code.line}`).replaceAll('|', '\\|');
    return [
      '',
      codeSpan(`${page}:${line}`).replaceAll('|', '\\|'),
      code.url === null ? place : `[${place}](${encodeAddress(code.url)})`,
      `${cell(before)} → ${cell(after)}`,
      cell(review?.sentence ?? ''),
      '',
    ]
      .join(' | ')
      .trim();
  });
  const left = agreed.length - rows.length;
  return [
    '### What code contradicts',
    '',
    '| Documentation | Code | Before → after | Second review |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...(left > 0 ? ['', `And ${count(left, 'earlier correction')}.`] : []),
  ].join('\n');
}

/** Places, and no code: the documentation may be public. */
function codeList(
  { commits, places }: NonNullable<PullText['code']> = { commits: {}, places: [] },
) {
  const read = Object.entries(commits).map(
    ([name, commit]) => `${codeSpan(name)} at ${codeSpan(commit)}`,
  );
  if (places.length === 0) return '';
  const lines = places.slice(0, maxProblems).map((place) => `- ${codeSpan(place)}`);
  return [
    `### Code`,
    `Compared with ${read.join(', ')}. These places exist there:`,
    lines.join('\n'),
  ].join('\n\n');
}

/** Without readers' words: a host forgets nothing. Each number leads to a page of the dashboard. */
function questionList(questions: QuestionChanges | undefined): string {
  if (questions === undefined) return '';
  const { asked, gained, lost } = questions;
  const link = (url: string, at: number) => `[${at + 1}](${encodeAddress(url)})`;
  const lines = [
    ...(gained.length > 0
      ? [`- Now answered: ${gained.map(({ url }, at) => link(url, at)).join(', ')}`]
      : []),
    ...lost
      .slice(0, maxProblems)
      .map(
        ({ url, pages }, at) =>
          `- No longer answered: ${link(url, at)}, from ${nameSome(pages.map(codeSpan), 3)}`,
      ),
  ];
  const more = lost.length - maxProblems;
  const note = `Compared without a language model: ${count(asked, 'question')}.`;
  return [
    "### Readers' questions",
    '',
    ...(lines.length === 0 ? ['No answer is gained or lost.'] : lines),
    '',
    more > 0 ? `${note} ${count(more, 'more answer')} would be lost.` : note,
  ].join('\n');
}

const kinds = {
  added: 'added',
  modified: 'changed',
  deleted: 'deleted',
  renamed: 'moved',
} as const satisfies Record<FileDiff['kind'], string>;

function checkList(report: ChecksReport | undefined): string {
  const told = report === undefined ? [] : toldChecks(report);
  if (report === undefined || told.length === 0) return '';
  // Not every machine can show emoji.
  const passed = told.filter(({ status, note }) => status === 'passed' && note === undefined);
  const others = told.filter((one) => !passed.includes(one));
  const lines = [...Map.groupBy(others, ({ status, note }) => `${status} ${note}`).values()].map(
    (same) => {
      const { status, note } = same[0] as (typeof same)[number];
      const names = same.map(({ name }) => checkTitles[name]).join(', ');
      const sign = { passed: '✓', failed: '✗', skipped: '–' }[status];
      const said = status === 'skipped' ? 'not checked' : status;
      return `- ${sign} ${names}: ${said}${note === undefined ? '' : `, ${neutralMarkdown(shorten(note, 200)).replaceAll('\n', ' ')}`}`;
    },
  );
  const problems = report.problems.slice(0, maxProblems).map(({ path, line, message }) => {
    const where = codeSpan(line === undefined ? path : `${path}:${line}`);
    return `- ${where}: ${neutralMarkdown(shorten(message, 300)).replaceAll('\n', ' ')}`;
  });
  const more = report.problems.length - problems.length + report.more;
  return [
    '### Checks',
    '',
    [
      passed.length > 0 && `✓ Passed: ${passed.map(({ name }) => checkTitles[name]).join(', ')}`,
      lines.join('\n'),
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(problems.length > 0 ? ['', 'New problems:', '', ...problems] : []),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(report.old > 0
      ? [
          '',
          `${count(report.old, 'problem')} of these files ${report.old === 1 ? 'was' : 'were'} there before.`,
        ]
      : []),
  ].join('\n');
}

function instructions(all: readonly string[]): string {
  const given = all.filter((one) => one.trim() !== '');
  if (given.length === 0) return '';
  const left = Math.max(0, given.length - maxInstructions);
  const shown = given.slice(left).map((one) => quote(shorten(one, maxInstruction)));
  return [
    given.length === 1 ? '### Instruction' : '### Instructions',
    ...(left > 0 ? [`The last ${maxInstructions} of ${given.length}:`] : []),
    // Without the comment, the quotations would become one.
    shown.join('\n\n<!-- -->\n\n'),
  ].join('\n\n');
}

function origin({ job, formerPulls }: PullText): string {
  const name = job.url === undefined ? codeSpan(job.id) : `[${job.id}](${encodeAddress(job.url)})`;
  const former = formerPulls
    .map(({ number, url }) => `[#${number}](${encodeAddress(url)})`)
    .join(', ');
  return `---\nMade by Docent, job ${name}.${former === '' ? '' : ` It goes on from ${former}.`}`;
}

function encodeAddress(url: string): string {
  return url.replace(/[\s()<>]/g, (letter) =>
    encodeURIComponent(letter).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29')),
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

const maxTitle = 72;
const defaultTitle = 'Update the documentation';

/** The agent's title, or else the instruction. */
export function pullTitle(title: string | undefined, instruction: string): string {
  return toTitle(title ?? '') ?? toTitle(instruction) ?? defaultTitle;
}

function toTitle(text: string): string | undefined {
  const line = clean(text)
    .split('\n')
    .map((one) =>
      one
        .replace(/^[\s>#*+-]+/, '')
        .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
        .replace(/<[^<>]*>/g, '')
        .replace(/https?:\/\/(\S+)/g, '$1')
        .replace(/[`*]/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  const plain = neutralPlain(line).replace(/(?<!\.)\.$/, '');
  return shorten(plain, maxTitle);
}

/** The message without its trailer. Lines of the summary can't pretend to be trailers. */
export function commitMessage({ title, summary }: { title: string; summary: string }): string {
  const words = neutralPlain(summary)
    .replace(/^([ \t]*)((?=[A-Za-z0-9]+-)[A-Za-z][A-Za-z0-9-]*|Cc)(?=:)/gm, '$1$2 ')
    .trim();
  return `${[title, shorten(words, 4000)].filter(Boolean).join('\n\n')}\n`;
}

const begin = '<!-- docent:begin -->';
const end = '<!-- docent:end -->';

/** Marks our part of a description: what people write around it stays theirs. */
export function markBody(text: string): string {
  return `${begin}\n${unmarked(text)}\n${end}`;
}

/** The description with our part renewed; as it is where people have taken our part out. */
export function renewBody(body: string, text: string): string {
  const from = body.indexOf(begin);
  const to = body.lastIndexOf(end);
  if (from < 0 || to < from) return body.trim() === '' ? markBody(text) : body;
  return body.slice(0, from) + markBody(text) + body.slice(to + end.length);
}

/** What is quoted in it cannot pretend to be its end. */
function unmarked(text: string): string {
  return text.replaceAll(/<!-- docent:(begin|end) -->/g, '').trim();
}
