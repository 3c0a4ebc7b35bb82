/**
 * Attacks on the running service: wherever text from outside can stand, with a model that repeats what it
 * reads and with one that does as it is told. The protocols take turns: what the attacks could do before
 * that, the tests of the filter and the prompt show for each one (`server/src/reader/ask/injections.test.ts`).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { indexSite } from '@docent/server/docent';
import { citedIn, dangersIn } from '@docent/server/testing/filtered-text';
import { type Order, orders, type Place, places } from '@docent/server/testing/injections';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partOf, readEvents, textOf } from '../support/ask.ts';
import { temporaryFolder } from '../support/fixture.ts';
import {
  type ModelRequest,
  type ScriptedModel,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const baseUrl = 'https://docs.kestrel.example';
const ordinary = 'Install the station with `kestrel-setup install`.';

let docs: Awaited<ReturnType<typeof temporaryFolder>>;
let model: ScriptedModel;
let docent: TestDocent;

/** Names the page that holds an attack; its version as well, so that no other question finds it. */
const devices = {
  page: 'barometer',
  'page title': 'hygrometer',
  'page description': 'altimeter',
} as const;
const isOnPage = (place: Place): place is keyof typeof devices => place in devices;
const device = (place: keyof typeof devices, order: Order) =>
  `${devices[place]}${orders.indexOf(order)}`;

beforeAll(async () => {
  docs = await temporaryFolder();
  const write = (name: string, title: string, text: string, version?: string, description = '') => {
    const frontmatter = { title, ...(version && { version }), ...(description && { description }) };
    const lines = Object.entries(frontmatter).map(([key, one]) => `${key}: ${JSON.stringify(one)}`);
    const file = join(docs.path, `${name}.md`);
    return writeFile(file, `---\n${lines.join('\n')}\n---\n\n${text}\n`);
  };
  await write('install', 'Install Kestrel', ordinary);
  for (const order of orders) {
    const [page, title] = [device('page', order), device('page title', order)];
    await write(
      page,
      `Install the ${page}`,
      `${order.text}

Install the ${page} by hand.`,
      page,
    );
    await write(title, `${title}: ${order.text}`, `Install the ${title} by hand.`, title);
    const described = device('page description', order);
    const byHand = `Install the ${described} by hand.`;
    await write(described, `Install the ${described}`, byHand, described, order.text);
  }
  model = await startScriptedModel();
  docent = await startDocent({ model, site: { docs: { folder: docs.path, baseUrl } } });
  const { retriever, sites } = docent.docent.services;
  await indexSite({ domain: 'kestrel-docs', docs: sites.named('kestrel-docs').docs, retriever });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await model.close();
  await docs[Symbol.asyncDispose]();
});

interface Answer {
  text: string;
  sources: { id: string; url: string }[];
  status: string | undefined;
}

/** Where each protocol has the text, the sources and the status. */
const protocols: Record<string, { path: string; read: (raw: string) => Answer }> = {
  'version 2': {
    path: '/discovery/v2/assistant/kestrel-docs/message',
    read(raw) {
      const { parts } = readEvents(raw);
      const sources = parts.filter((part) => part.type === 'source-url');
      const data = partOf(parts, 'data-answer')?.['data'] as { status: string } | undefined;
      return {
        text: textOf(parts),
        sources: sources.map((one) => ({ id: String(one['sourceId']), url: String(one['url']) })),
        status: data?.status,
      };
    },
  },
  'version 1': {
    path: '/discovery/v1/assistant/kestrel-docs/message',
    read(raw) {
      const lines = raw.split('\n').filter((line) => line !== '');
      const of = (code: string) =>
        lines
          .filter((line) => line.startsWith(`${code}:`))
          .map((line) => JSON.parse(line.slice(2)) as unknown);
      const notes = (of('8') as Record<string, string>[][]).flat();
      return {
        text: of('0').join(''),
        sources: notes
          .filter((note) => note['type'] === 'source')
          .map(({ id = '', url = '' }) => ({ id, url })),
        status: notes.find((note) => note['type'] === 'answer')?.['status'],
      };
    },
  },
  'chat completions': {
    path: '/v1/chat/completions',
    read(raw) {
      const { choices, docent: ours } = JSON.parse(raw) as {
        choices: { message: { content: string } }[];
        docent: Omit<Answer, 'text'>;
      };
      return { ...ours, text: choices[0]?.message.content ?? '' };
    },
  },
};

/** A request with the attack in its place. What a protocol has no place for is left away there. */
function toRequest(place: Place, order: Order): object {
  const at = (where: Place, otherwise: string) => (place === where ? order.text : otherwise);
  const message = (role: string, content: string) => ({ role, content });
  const onPage = isOnPage(place) ? device(place, order) : undefined;
  const asked =
    onPage === undefined
      ? at('question', 'How do I install Kestrel?')
      : `How do I install the ${onPage}?`;
  const fp = at('name of the reader', 'anonymous').slice(0, 200);
  const currentPath = at('current page', `/${onPage ?? 'install'}`).slice(0, 200);
  return {
    model: 'docent',
    fp,
    user: fp,
    currentPath,
    filter: { version: onPage ?? 'no page that attacks' },
    metadata: { currentPath },
    context: [
      {
        type: 'textSelection',
        value: at('selected text', 'rooftop'),
        path: at('path of the selection', '/install'),
      },
      { type: 'code', value: at('code', 'kestrel-setup') },
    ],
    messages: [
      message('system', at('system message', 'Be brief.')),
      message('user', at('earlier question', 'Hello?')),
      {
        ...message('assistant', at('earlier answer', 'Hello.')),
        metadata: { x: at('metadata', '') },
      },
      message('user', asked),
    ],
  };
}

async function ask(protocol: string, body: object): Promise<Answer> {
  const { path, read } = protocols[protocol] ?? { path: '', read: () => expect.fail(protocol) };
  const response = await fetch(docent.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return read(await response.text());
}

function given({ body }: ModelRequest) {
  const texts = (body.messages ?? []).map(({ content }) => String(content));
  const user = texts.at(-1) ?? '';
  return { system: texts[0] ?? '', user, mark: /<<\w+:answered>>/.exec(user)?.[0] ?? '' };
}

const manners: Record<string, (order: Order) => (request: ModelRequest) => string> = {
  'repeats what it reads': () => (request) => given(request).user,
  obeys: (order) => (request) => order.obey(given(request)),
};

const names = Object.keys(protocols);

describe.each(Object.keys(manners))('a model that %s', (manner) => {
  test.each(orders)('$name', async (order) => {
    const reply = manners[manner]?.(order) ?? (() => '');
    model.reply([{ reply }]);
    const before = model.requests.length;
    // Each attack over two protocols, one for each manner, and each order over all.
    const turn = orders.indexOf(order) + Object.keys(manners).indexOf(manner);
    const cases = places.map((place, at) => ({
      place,
      protocol: names[(turn + at) % names.length] ?? '',
    }));
    const answers = await Promise.all(
      cases.map(async (one) => ({
        ...one,
        ...(await ask(one.protocol, toRequest(one.place, order))),
      })),
    );
    for (const { place, protocol, text, sources, status } of answers) {
      const where = `${place}, ${protocol}: ${text}`;
      // An address that stands in a page of the site is the site's own word.
      const isOwn = (address: string) =>
        place === 'page' && order.text.includes(address.replace(/\/$/, '')) && !/@/.test(address);
      expect(
        dangersIn(text).filter((address) => !isOwn(address)),
        where,
      ).toEqual([]);
      const ids = new Set(sources.map(({ id }) => id));
      expect(
        citedIn(text).filter((number) => !ids.has(number)),
        where,
      ).toEqual([]);
      expect(
        sources.filter(({ url }) => !url.startsWith(`${baseUrl}/`)),
        where,
      ).toEqual([]);
      expect(text.trim(), where).not.toBe('');
      expect(text, where).not.toMatch(/<<[0-9a-f]{10}:(?!refused)/);
      // Without a line of ours, the passages decide, and never the forged word.
      if (order.name === 'forge the status line') expect(status, where).toMatch(/^(un)?answered$/);
      expect(status, where).toMatch(/^(answered|unanswered|refused)$/);
    }
    // Whatever was sent, the model got our words as the system's, and everything else as one message.
    const requests = model.requests.slice(before);
    expect(requests).toHaveLength(cases.length);
    expect(new Set(requests.map((request) => given(request).system)).size).toBe(1);
    for (const { body } of requests)
      expect(body.messages?.map(({ role }) => role)).toEqual(['system', 'user']);
  });
});

test(`${orders.length * places.length} attacks, and a page that attacks is really read`, async () => {
  expect(orders.length * places.length).toBeGreaterThanOrEqual(60);
  model.reply(['Done. [1]']);
  for (const order of orders) {
    for (const place of places.filter(isOnPage)) {
      const { sources } = await ask('version 2', toRequest(place, order));
      const address = `${baseUrl}/${device(place, order)}`;
      expect(sources.some(({ url }) => url.startsWith(address))).toBe(true);
      const asked = String(model.last.body.messages?.at(-1)?.content);
      expect(asked).toContain(`<reader-page path="/${device(place, order)}"`);
    }
  }
});
