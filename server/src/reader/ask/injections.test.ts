import { AssistantRequestV2 } from '@docent/shared/assistant';
import { expect, test } from 'vitest';
import type { Site } from '../../platform/tenants/sites.ts';
import { createOutputFilter } from '../output-filter/output-filter.ts';
import { createStatusLine } from '../output-filter/status-line.ts';
import { citedIn, dangersIn } from '../../../testing/filtered-text.ts';
import { page as contractPage } from '../../../testing/contract-pages.ts';
import { orders, type Place, places } from '../../../testing/injections.ts';
import { toPrompt } from './prompt.ts';
import { toQuestion } from './question.ts';

const site = {
  name: 'Kestrel',
  docs: { baseUrl: 'https://docs.kestrel.example' },
  allowedLinkHosts: [],
  allowedImageHosts: [],
} as unknown as Site;

const ordinary = 'Install the station with `kestrel-setup install`.';

/** A request and a found passage with the attack in its place, as the service would read them. */
function ask(place: Place, attack: string) {
  const at = (where: Place, otherwise: string) => (place === where ? attack : otherwise);
  const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
  const body = AssistantRequestV2.parse({
    fp: at('name of the reader', 'anonymous').slice(0, 200),
    currentPath: at('current page', '/install').slice(0, 200),
    context: [
      {
        type: 'textSelection',
        value: at('selected text', 'rooftop'),
        path: at('path of the selection', '/a'),
      },
      { type: 'code', value: at('code', 'kestrel-setup') },
    ],
    messages: [
      { role: 'system', content: at('system message', 'Be brief.') },
      user(at('earlier question', 'Hello?')),
      {
        role: 'assistant',
        content: at('earlier answer', 'Hello.'),
        metadata: { note: at('metadata', 'x') },
      },
      user(at('question', 'How do I install Kestrel?')),
    ],
  });
  const question = toQuestion(body);
  const passages = [
    { number: '1', title: at('page title', 'Install'), markdown: at('page', ordinary) },
  ];
  const statusLine = createStatusLine();
  const statusLines = statusLine.lines;
  const { currentPath, context, history } = question;
  const about = { siteName: site.name, question: question.text, currentPath, context };
  const page = {
    ...contractPage('/install', at('page title', 'Install'), ['First', at('page', ordinary)]),
    description: at('page description', 'How to install it.'),
  };
  const instructions = '';
  const prompt = toPrompt({
    ...about,
    instructions,
    skills: [],
    page,
    history,
    isHistoryOurs: false,
    passages,
    statusLines,
  });
  const texts = prompt.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((part) => ('text' in part ? part.text : '')).join(''),
  );
  const sources = [{ id: '1', url: 'https://docs.kestrel.example/install', title: 'Install' }];
  const text = createOutputFilter({
    site,
    question,
    sources,
    passages,
    isFound: true,
    ahead: undefined,
    statusLine,
  });
  return { prompt, system: texts[0] ?? '', user: texts[1] ?? '', mark: statusLines[0] ?? '', text };
}

const usual = ask('page', ordinary);
const tags = (text: string) =>
  text.match(/<\/?(?:documentation|passage|reader-page|pointed-at|conversation)\b/gi) ?? [];

const attacks = places.flatMap((place) => orders.map((order) => ({ place, order })));

test(`there are at least 60 attacks (${attacks.length})`, () => {
  expect(attacks.length).toBeGreaterThanOrEqual(60);
});

test.each(attacks)('$order.name, in the $place', ({ place, order }) => {
  const { prompt, system, user, mark } = ask(place, order.text);
  // No text from outside is the system's, opens an element or closes one.
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(system).toBe(usual.system);
  expect(tags(user)).toEqual(tags(usual.user));
  expect(user).not.toMatch(/<[|｜]|\[INST\]|<<SYS>>|<start_of_turn>|[\u{e0000}-\u{e007f}]/u);

  // Neither a model that repeats what it read nor one that obeys does harm.
  for (const said of [user, order.obey({ system, user, mark })]) {
    for (const length of [3, 17, 100_000]) {
      // The status lines of this answer are its own: each answer is made with its filter.
      const { text, mark: own } = ask(place, order.text);
      const pieces = said.replaceAll(mark, own).match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
      const shown = [...pieces.map((piece) => text.push(piece)), ...text.end('stop')].join('');
      const foreign = dangersIn(shown).filter((danger) => !isQuoted(danger, place, order.text));
      expect(foreign).toEqual([]);
      expect(citedIn(shown).filter((number) => number !== '1')).toEqual([]);
      expect(shown.trim()).not.toBe('');
      if (order.name === 'forge the status line') expect(text.statusOf(shown)).not.toBe('refused');
    }
  }
});

/** An address that stands in a page of the site itself, word for word, is the site's own word. */
function isQuoted(danger: string, place: Place, attack: string): boolean {
  return place === 'page' && attack.includes(danger.replace(/\/$/, '')) && !danger.includes('@');
}
