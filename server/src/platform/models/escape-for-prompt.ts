/**
 * Untrusted text in prompts. It's in an element of ours, and can't close that element, open another one, or
 * look like the control tokens of a model.
 */

/** The elements for untrusted text. */
const elements = [
  'documentation',
  'passage',
  'pointed-at',
  'reader-page',
  'conversation',
  'repository-guidance',
  'caller-instructions',
  'from-readers',
  'check-output',
  'code-change',
  'code-excerpt',
  'proposed-text',
  'owner-skill',
] as const;
export type PromptElement = (typeof elements)[number];

/** Untrusted text as an element. Attributes may be untrusted too. */
export function quoteForPrompt(
  element: PromptElement,
  text: string,
  attributes: Record<string, string> = {},
): string {
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `<${element}${given.join('')}>\n${escapeForPrompt(text)}\n</${element}>`;
}

/** One line of untrusted text, in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(escapeForPrompt(text));
}

/** A prompt without these elements. */
export function withoutElement(element: PromptElement, prompt: string, instead = ''): string {
  const open = new RegExp(`<${element}(?: [^\\n]{0,1000})?>\\n`, 'g');
  const close = `\n</${element}>`;
  let rest = '';
  let done = 0;
  for (let match = open.exec(prompt); match; match = open.exec(prompt)) {
    const end = prompt.indexOf(close, open.lastIndex);
    // Without an end, no later element has one.
    if (end < 0) break;
    rest += prompt.slice(done, match.index) + instead;
    done = end + close.length;
    open.lastIndex = done;
  }
  return rest + prompt.slice(done);
}

/** What strangers say in an instruction, and where it stands. */
const foreign = {
  'from-readers': 'What readers wrote stands on the page of the job.',
  'check-output': 'What the checks printed stands on the page of the job.',
  'code-change': 'What changed in the code stands on the page of the job.',
} as const satisfies Partial<Record<PromptElement, string>>;

/** An instruction without what strangers say in it. */
export function withoutForeign(prompt: string, isNoted = false): string {
  return Object.entries(foreign).reduce(
    (rest, [element, where]) =>
      withoutElement(element as PromptElement, rest, isNoted ? where : ''),
    prompt,
  );
}

/** A zero-width space: readers don't see it, and models see no tag. The output filter removes it. */
const apart = '\u200b';

/** Invisible characters, including a whole alphabet (tags, U+E0000). */
const unseen =
  /\u{34f}|\u{17b4}|\u{17b5}|[\u{ad}\u{61c}\u{115f}\u{1160}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}]|[\u{e0000}-\u{e0fff}]/gu;

/** Every character that looks like an opening bracket, and the word after it. */
const tag = /([<＜﹤‹〈⟨❮˂])([\s/\\⁄∕]*)([\p{L}\p{M}\p{Pd}_]{4,24})/gu;

/** Control tokens of chat templates: `<|im_start|>`, `[INST]`, `<<SYS>>`, `<start_of_turn>`. */
const template =
  /([<＜])(?=[|｜]|<\/?SYS>|\/?s>|(?:start|end)_of_turn>)|(\[)(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/gi;

export function escapeForPrompt(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(unseen, '')
    .replace(tag, (all: string, bracket: string, between: string, word: string) =>
      elements.some((name) => plain(word).startsWith(name))
        ? bracket + apart + between + word
        : all,
    )
    .replace(template, (bracket) => bracket + apart);
}

/** A word in Latin letters that look the same. */
function plain(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\p{Pd}_]/gu, '-')
    .replace(/[^a-z-]/g, (letter) => lookalikes[letter] ?? letter);
}

/** Cyrillic, Greek, and other letters that look like Latin ones. */
const lookalikes: Record<string, string> = {
  а: 'a',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  ӏ: 'l',
  м: 'm',
  п: 'n',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  ѵ: 'v',
  г: 'r',
  и: 'u',
  α: 'a',
  ε: 'e',
  ι: 'i',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  η: 'n',
  σ: 'o',
  ı: 'i',
  ո: 'n',
  օ: 'o',
  ѓ: 'r',
  ց: 'g',
  ɑ: 'a',
  ɡ: 'g',
  ɩ: 'i',
  ӕ: 'ae',
};
