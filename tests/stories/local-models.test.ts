/** Chat models as people run them: each server of the zoo, and each of its traps, through the whole service. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlaygroundReply } from '@docent/shared/playground';
import type { FindingsReply, ServiceHealthReply } from '@docent/shared/sites';
import { indexSite } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { type Asked, errorOf, partOf } from '../support/ask.ts';
import { embeddingDimensions } from '../support/embeddings-wire.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startDocent, type StartOptions } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ChatOptions, ChatTrap } from '../support/zoo/chat.ts';
import { startZoo, type Zoo } from '../support/zoo/start-zoo.ts';
import type { Personality } from '../support/zoo/wire.ts';

const question = 'How do I install Kestrel with the package manager?';
const supported = 'Install the software of the station with one command, kestrel-setup.';

interface Animal extends AsyncDisposable {
  zoo: Zoo;
  docent: Awaited<ReturnType<typeof startDocent>>;
}

/** A service that asks one animal, which it has recognized. */
async function meet(
  personality: Personality,
  traps: ChatTrap[] = [],
  chat: ChatOptions = {},
  { settings = {}, ...options }: StartOptions & { settings?: object } = {},
): Promise<Animal> {
  const zoo = await startZoo(personality, { chat: { answer: supported, ...chat, traps } });
  const docent = await startDocent({
    models: {
      main: { provider: 'openai-compatible', baseUrl: zoo.url, model: zoo.chat.model, ...settings },
    },
    ...options,
  });
  return {
    zoo,
    docent,
    async [Symbol.asyncDispose]() {
      await docent[Symbol.asyncDispose]();
      await zoo.close();
    },
  };
}

const dataOf = ({ parts }: Asked) =>
  partOf(parts, 'data-answer')?.['data'] as Record<string, unknown>;
const completions = (zoo: Zoo) => zoo.calls.filter(({ path }) => path.endsWith('/completions'));

const admin = async <Reply>(
  { docent }: Pick<Animal, 'docent'>,
  path: string,
  body?: object,
): Promise<Reply> => {
  const response = await fetch(docent.url + path, {
    headers: { authorization: `Bearer ${docent.admin}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Reply;
};

const servers: [Personality, kind: string, context: number | null][] = [
  ['ollama', 'Ollama', 32_768],
  ['llama-cpp', 'llama.cpp', 32_768],
  ['vllm', 'vLLM', 32_768],
  ['lm-studio', 'LM Studio', 32_768],
  ['localai', 'LocalAI', null],
];

test.each(servers)(
  '%s is recognized, bounded, and examined',
  async (personality, kind, context) => {
    await using animal = await meet(personality);
    const asked = await animal.docent.ask(question);
    expect(asked.text).toBe(supported);
    expect(dataOf(asked)).toMatchObject({ status: 'answered', mode: 'model' });
    expect(animal.zoo.chat.maxTokens).toEqual([personality === 'ollama' ? 1_024 : 2_000]);
    const { findings } = await admin<FindingsReply>(animal, '/v1/health/model', { model: 'main' });
    expect(findings[1]?.text).toMatch(
      new RegExp(`^It runs on ${kind}\\. Its first word came after [\\d.]+ s warm`),
    );
    expect(findings[2]?.text).toMatch(
      context === null ? /contextTokens/ : /^Its context has 32,768 tokens/,
    );
    const { models } = await admin<ServiceHealthReply>(animal, '/v1/health');
    expect(models).toMatchObject([{ server: kind, notice: null }]);
  },
);

test('an embedder is examined, and without one, that is said', async () => {
  await using zoo = await startZoo('tei');
  const embedder = { baseUrl: zoo.url, model: 'bge-small', dimensions: embeddingDimensions };
  await using docent = await startDocent({ search: { engine: 'embedded', embedder } });
  const { findings } = await admin<FindingsReply>({ docent }, '/v1/health/model', {
    embedder: true,
  });
  expect(findings).toMatchObject([
    { kind: 'fine', text: expect.stringMatching(/It embeds \S+ passages per second, so all of/) },
    { kind: 'fine', text: expect.stringContaining('Represent this sentence') },
  ]);
  await using plain = await startDocent();
  await expect(admin({ docent: plain }, '/v1/health/model', { embedder: true })).rejects.toThrow(
    /404/,
  );
});

test.each([
  ['citations-as-brackets', /kestrel-setup \[1, 2\]\[1\]\.$/],
  ['citations-as-lenticular', /kestrel-setup \[1\]\.$/],
  ['citations-as-footnotes', /kestrel-setup \[1\]\.$/],
  ['citations-as-parentheses', /kestrel-setup \[1\]\.$/],
  ['citations-as-words', /kestrel-setup \[1\]\.$/],
] as [ChatTrap, RegExp][])('%s become ours', async (trap, text) => {
  await using animal = await meet('ollama', [trap, 'no-status-line']);
  const asked = await animal.docent.ask(question);
  expect(asked.text).toMatch(text);
  expect(dataOf(asked)['status']).toBe('answered');
});

test('an answer without a citation and without the line counts by what supports it', async () => {
  await using animal = await meet('ollama', ['no-status-line']);
  const asked = await animal.docent.ask(question);
  expect(asked.text).toBe(supported);
  expect(dataOf(asked)).toMatchObject({ status: 'answered', mode: 'model' });
  expect(asked.parts.some(({ type }) => type === 'source-url')).toBe(true);
});

test.each([
  ['repeats-rules', /You answer readers|only source of facts|Never guess/, /rules of the prompt/],
  ['other-topic', /Photosynthesis|carbon|Farmers/, /No passage supports/],
] as [ChatTrap, RegExp, RegExp][])(
  '%s reaches no reader: quotes of the documentation do',
  async (trap, never, notice) => {
    for (const more of [[], ['no-status-line']] as ChatTrap[][]) {
      await using animal = await meet('llama-cpp', [trap, ...more]);
      const asked = await animal.docent.ask(question);
      expect(asked.raw).not.toMatch(never);
      expect(asked.text).toMatch(/^\*The documentation doesn't support[^]*kestrel-setup install/);
      expect(dataOf(asked)).toMatchObject({ status: 'answered', mode: 'extractive' });
      const tried = await admin<PlaygroundReply>(animal, '/v1/playground/kestrel-docs', {
        question,
      });
      expect(tried.notices).toEqual([expect.stringMatching(notice)]);
      expect(tried.rawText).toMatch(never);
    }
  },
);

test('endless repetition is cut, what stood before it stays, and the answer says so', async () => {
  await using animal = await meet('ollama', ['repeats-forever']);
  const asked = await animal.docent.ask(question);
  expect(asked.text).toMatch(
    /^Install the software of the station with one command, kestrel-setup\./,
  );
  // About 200 tokens after its start.
  expect(asked.text.length).toBeLessThan(supported.length + 4 * 200 + 300);
  expect(dataOf(asked)).toMatchObject({ status: 'answered', cut: 'repetition' });
  expect(partOf(asked.parts, 'finish')).toMatchObject({ finishReason: 'length' });
  const { left } = completions(animal.zoo)[0] ?? {};
  if (left && !left.aborted) await once(left, 'abort');
  const { notices } = await admin<PlaygroundReply>(animal, '/v1/playground/kestrel-docs', {
    question,
  });
  expect(notices).toEqual([expect.stringMatching(/stopped, because it began to repeat/)]);
});

test.each(['reasoning', 'reasoning-content'] as const)(
  '%s is life, and nobody reads it',
  async (trap) => {
    await using animal = await meet('vllm', [trap]);
    const asked = await animal.docent.ask(question);
    expect(asked.text).toBe(supported);
    expect(asked.parts.filter(({ type }) => type === 'data-progress')).toEqual([
      { type: 'data-progress', data: { state: 'thinking' }, transient: true },
    ]);
    expect(asked.raw).not.toContain('the reader asks');
  },
);

test('thoughts without an end are cut, and quotes answer', async () => {
  await using animal = await meet('ollama', ['reasoning-only']);
  const asked = await animal.docent.ask(question);
  expect(asked.text).toMatch(/^\*The language model gave no answer[^]*kestrel-setup install/);
  // A quotation isn't cut short, so no reader is asked to continue it.
  expect(partOf(asked.parts, 'finish')).toMatchObject({ finishReason: 'stop' });
});

test.each([[], ['no-status-line']] as ChatTrap[][])(
  'thoughts as text, of which only the end is marked, reach nobody (%s)',
  async (...more) => {
    await using animal = await meet('llama-cpp', ['thinks-aloud', ...more]);
    for (let times = 0; times < 2; times++) {
      const asked = await animal.docent.ask(question);
      expect(asked.text).toBe(supported);
    }
  },
);

test('a model that loads for longer than the first word may take is waited for', async () => {
  const loaded = Promise.withResolvers<void>();
  await using animal = await meet(
    'ollama',
    ['slow-first-word'],
    { loading: loaded.promise },
    { settings: { firstWordSeconds: 1 } },
  );
  const listed = () => animal.zoo.calls.filter(({ path }) => path === '/v1/models').length;
  const asking = animal.docent.ask(question);
  await waitFor('the question', () => completions(animal.zoo).length === 1);
  const before = listed();
  // Twice the time went by, and the server was asked whether it lives.
  await waitFor('two looks at the server', () => listed() >= before + 2);
  loaded.resolve();
  expect((await asking).text).toBe(supported);
  expect(completions(animal.zoo)).toHaveLength(1);
});

test('a server that refuses until its model is loaded is asked again', async () => {
  await using animal = await meet('llama-cpp', ['loading-503']);
  const asked = await animal.docent.ask(question);
  expect(asked.text).toBe(supported);
  expect(completions(animal.zoo)).toHaveLength(3);
});

test('an answer that ends without saying so is whole', async () => {
  await using whole = await meet('lm-studio', ['no-done']);
  const asked = await whole.docent.ask(question);
  expect(asked.text).toBe(supported);
  expect(partOf(asked.parts, 'finish')).toBeDefined();
});

test.each(['runner-dies', 'error-in-stream'] as const)('an answer isn’t: %s', async (trap) => {
  await using broken = await meet('ollama', [trap]);
  expect(errorOf((await broken.docent.ask(question)).parts)).toMatchObject({
    code: 'upstream_failed',
  });
});

/** Twelve pages about one thing, half of each is code, which takes more tokens than prose. */
async function writePages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let page = 1; page <= 12; page++) {
    const code = Array.from(
      { length: 24 },
      (_, line) => `set_probe_${page}(${line}, {"a":[${page},${line}]});`,
    );
    const prose =
      `The rooftop probe number ${page} measures wind, and its calibration takes a calm day. `.repeat(
        10,
      );
    await writeFile(
      join(folder, `probe-${page}.md`),
      `# Calibrate probe ${page}\n\n## Calibration of probe ${page}\n\n${prose}\n\n\`\`\`js\n${code.join('\n')}\n\`\`\`\n`,
    );
  }
}

const calm = 'The rooftop probe measures wind, and its calibration takes a calm day.';
const calibrate = 'How do I calibrate the rooftop probe that measures wind?';

/** A model with a context of 4,096, and pages that don't all fit into it. */
async function meetWithPages(personality: Personality, chat: ChatOptions) {
  const pages = await temporaryFolder();
  await writePages(pages.path);
  const docs = { folder: pages.path, baseUrl: 'https://docs.kestrel.example' };
  const animal = await meet(personality, ['context-4096'], chat, {
    sites: { 'kestrel-docs': { docs } },
  });
  const { sites, retriever } = animal.docent.docent.services;
  await indexSite({ domain: kestrel.domain, docs: sites.named(kestrel.domain).docs, retriever });
  return {
    ...animal,
    async [Symbol.asyncDispose]() {
      await animal[Symbol.asyncDispose]();
      await pages[Symbol.asyncDispose]();
    },
  };
}

test.each(['llama-cpp', 'ollama', 'vllm'] as const)(
  '%s refuses a prompt of more tokens than we count, and the next one fits',
  async (personality) => {
    await using animal = await meetWithPages(personality, {
      answer: `${calm} [1]`,
      charactersPerToken: 1.6,
    });
    const { parts } = await animal.docent.ask(calibrate);
    expect(errorOf(parts)).toMatchObject({
      code: 'upstream_failed',
      error: expect.stringMatching(/^That was too long for the language model/),
    });
    expect((await animal.docent.ask(calibrate)).text).toContain('takes a calm day');
  },
);

test.each(['ollama', 'llama-cpp'] as const)(
  'with a context of 4,096, all that %s is offered to cite arrives, with the rules and the question',
  async (personality) => {
    const cite = (prompt: string) =>
      `${calm} ${[...prompt.matchAll(/<passage number="(\d+)"/g)].map(([, number]) => `[${number}]`).join('')}`;
    await using animal = await meetWithPages(personality, { answer: cite });
    const talk = Array.from({ length: 6 }, (_, turn) => [
      { role: 'user', content: `Tell me of probe ${turn}. ${'More, please. '.repeat(60)}` },
      { role: 'assistant', content: 'It measures wind. '.repeat(80) },
    ]).flat();
    for (const messages of [[], talk]) {
      const response = await animal.docent.post({
        fp: 'anonymous',
        retrievalPageSize: 10,
        messages: [...messages, { role: 'user', content: calibrate }],
      });
      const raw = await response.text();
      const offered = [...raw.matchAll(/"sourceId":"(\d+)"/g)].map(([, id]) => id);
      expect(offered.length).toBeGreaterThan(1);
      const sent = JSON.stringify(completions(animal.zoo).at(-1)?.body['messages']);
      const read = animal.zoo.chat.read.at(-1) ?? '';
      expect(read).toMatch(/^You answer readers of the Kestrel documentation\./);
      expect(read).toContain(`Question: ${calibrate}`);
      for (const id of offered) {
        expect(raw).toContain(`[${id}]`);
        expect(read).toMatch(new RegExp(`<passage number="${id}"[^]*?</passage>`));
      }
      // Nothing was dropped on the way.
      expect(JSON.stringify(read).length).toBeLessThanOrEqual(sent.length);
      expect(sent).toContain(JSON.stringify(read.slice(-200)).slice(1, -1));
    }
  },
);

test('a server that silently drops a part of the prompt is named in health and in the playground', async () => {
  await using animal = await meet(
    'ollama',
    ['drops-prompt'],
    { contextTokens: 700 },
    { settings: { contextTokens: 16_000, maxAnswerTokens: 200 } },
  );
  // Before its model is loaded, Ollama says nothing of its context.
  const { notices } = await admin<PlaygroundReply>(animal, '/v1/playground/kestrel-docs', {
    question,
  });
  expect(notices.at(-1)).toMatch(
    /dropped a part of the prompt\. Start Ollama with OLLAMA_CONTEXT_LENGTH/,
  );
  const { models } = await admin<ServiceHealthReply>(animal, '/v1/health');
  expect(models[0]?.notice).toBe(notices.at(-1));
});
