/**
 * Turns the model's output into what the reader sees: without harmful content, and never empty. Text passes as it arrives. Only text that may become a link, a citation, or a tag
 * waits, and never for long.
 */
import type { ModelHabits } from '../../platform/models/model-server.ts';
import { createSecretHider } from '../../platform/redaction/own-secrets.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { quote } from '../extractive/extractive-model.ts';
import { type NumberedPassage, notFoundSentence, refusedSentence } from '../ask/prompt.ts';
import type { Question } from '../ask/question.ts';
import type { ArrangedResult } from '../ask/reader-pages.ts';
import type { Source } from '../conversations/threads.ts';
import { createLinkPolicy } from './link-policy.ts';
import { createScan, type FilterRules, type Scan } from './scan.ts';
import {
  type AnswerKind,
  kindOf,
  type StatusLine,
  statusOf,
  createSupport,
} from './status-line.ts';
import { step } from './step.ts';
import { createVetting } from './vet-text.ts';

interface OutputFilterDeps {
  site: Site;
  question: Question;
  sources: Source[];
  passages: NumberedPassage[];
  isFound: boolean;
  ahead: ArrangedResult['ahead'];
  statusLine: StatusLine | undefined;
  /** How a model of one's own writes; undefined: the model keeps to the prompt. Asked when it begins to write. */
  habits?: () => ModelHabits | undefined;
}

const quotedSentences = {
  nothing: '*The language model gave no answer, so this is quoted from the documentation.*',
  leftOut:
    "*The documentation doesn't support what the language model wrote, so this is quoted from it.*",
};

/** The filter of one answer. */
export function createOutputFilter(deps: OutputFilterDeps) {
  const { site, question, sources, passages, isFound, ahead, statusLine } = deps;
  const ids = new Set(sources.map((source) => source.id));
  const urls = sources.map((source) => source.url);
  const rules: FilterRules = {
    links: createLinkPolicy(site, passages, urls),
    // A refusal has no sources, so it cites none.
    numbers: { has: (id) => ids.has(id) && filter.kind() !== 'refused' },
    isInDocs: (text) => passages.some(({ markdown }) => markdown.includes(text)),
  };
  const filter: TextFilter = createTextFilter(rules, statusLine);
  /** The status, if the model didn't get to say it. */
  let ending: AnswerKind | undefined;
  const supportOf = createSupport({ question: question.text, passages });
  let vetting: ReturnType<typeof createVetting> | undefined;
  let hasBegun = false;

  function vet(delta: string): string {
    if (!hasBegun) {
      hasBegun = true;
      const habits = deps.habits?.();
      if (habits && statusLine)
        vetting = createVetting({ supportOf, statusLine, habits, siteName: site.name });
    }
    return vetting ? vetting.push(delta) : delta;
  }

  /** The model wrote nothing for the reader, so the built-in model answers instead. */
  function instead(reason: string): string {
    const kind = filter.kind();
    // The provider's own filter withheld the answer.
    if (kind === 'refused' || reason === 'content-filter') {
      ending = 'refused';
      return refusedSentence;
    }
    const mayQuote = isFound && kind !== 'unanswered';
    const quoted = mayQuote ? quote(question.text, passages, ahead) : undefined;
    if (quoted === undefined) {
      ending = 'unanswered';
      return notFoundSentence;
    }
    output.isQuoted = true;
    ending = 'answered';
    const quotation = createTextFilter(rules, undefined);
    const why = quotedSentences[vetting?.leftOut ? 'leftOut' : 'nothing'];
    return `${why}\n\n${quotation.push(quoted)}${quotation.end()}`;
  }

  const output = {
    /** Whether passages were quoted instead of the model's answer. */
    isQuoted: false,

    push: (delta: string): string => filter.push(vet(delta)),

    /** The rest of the text, once the model has finished for this reason. */
    *end(reason: string): Generator<string, void, undefined> {
      if (vetting) yield filter.push(vetting.end());
      yield filter.end();
      if (filter.isBlank()) yield instead(reason);
      else if (reason === 'length') yield filter.closing();
    },

    /** Known when the first words are shown. A refusal has no sources. */
    mayNameSources: () => isFound && ['answered', undefined].includes(ending ?? filter.kind()),
    /** Undefined: what the model writes passes as it is. */
    vetting: () => vetting,
    statusOf: (text: string) =>
      statusOf({ text, kind: ending ?? filter.kind(), isFound, supportOf }),
  };
  return output;
}

type TextFilter = ReturnType<typeof createTextFilter>;

/**
 * Control characters, characters that change the direction of text, and the zero-width space that
 * `escapeForPrompt` inserts. Lines end with a line feed only.
 */
// oxlint-disable-next-line no-control-regex -- these are the characters to leave out
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202a-\u202e\u2066-\u2069\ue001]/g;

/** The text filter alone, with given rules. */
export function createTextFilter(rules: FilterRules, statusLine: StatusLine | undefined) {
  const scan = createScan(rules, (text, isInLink) => filterLine(rules, text, isInLink));
  /** Before the filter, which escapes characters that a secret may have, and after those that could divide it are gone. */
  const written = createSecretHider();
  let blank = '';
  let isBlank = true;

  /** Whitespace at the start waits for the first word, as there may be none. */
  function begin(text: string): string {
    if (!isBlank || text === '') return text;
    blank += text;
    if (text.trim() === '') return '';
    isBlank = false;
    return blank.replace(/^(?:[ \t]*\n)+/, '');
  }

  return {
    push(delta: string): string {
      const text = written.push(delta.replace(invisible, ''));
      scan.text += statusLine ? statusLine.push(text) : text;
      return begin(run(scan));
    },

    end(): string {
      const text = written.end();
      scan.text += statusLine ? statusLine.push(text) + statusLine.end() : text;
      scan.isFinal = true;
      return begin(run(scan));
    },

    /** What the status line said. */
    kind: () => kindOf(scan.statusLetter),
    /** Whether nothing readable was shown. */
    isBlank: () => isBlank,
    /** Closes the code block that an answer was cut off in. */
    closing: () => (scan.fence ? `\n${' '.repeat(scan.fence.indent)}${scan.fence.run}\n` : ''),
  };
}

/** Filters as much as is certain by now. */
function run(scan: Scan): string {
  while (step(scan) === 'done');
  keepBlank(scan);
  scan.text = scan.text.slice(scan.at);
  scan.at = 0;
  const { out } = scan;
  scan.out = '';
  return out;
}

/** A space waits for what comes after it: if that's a citation to drop, the space goes too. */
function keepBlank(scan: Scan): void {
  const { text, at, out } = scan;
  if (!out.endsWith(' ') || scan.isFinal || scan.skipUntil) return;
  if (![undefined, '['].includes(text[at]) || !/\S $/.test(scan.tail)) return;
  scan.text = ` ${text.slice(at)}`;
  scan.at = 0;
  for (const key of ['out', 'head', 'tail'] as const) {
    if (scan[key].endsWith(' ')) scan[key] = scan[key].slice(0, -1);
  }
}

function filterLine(rules: FilterRules, text: string, isInLink: boolean): string {
  const scan = createScan(rules, (inner, isDeeper) =>
    filterLine(rules, inner, isInLink || isDeeper),
  );
  scan.text = text;
  scan.isFinal = true;
  scan.isInline = true;
  scan.isInLink = isInLink;
  scan.isLineStart = false;
  return run(scan);
}
