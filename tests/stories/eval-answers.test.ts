/** `docent eval` with a model: answers as models write them, and what they are counted as. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { evaluate, readEvalSet } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/fixture.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import type { Script, Step } from '../support/scripted-model.ts';

useScriptedDocent();

const line = (kind: string): Step => ({
  reply: ({ text }) => `${new RegExp(`<<\\w+:${kind}>>`).exec(text)?.[0] ?? ''}\n`,
});

interface Recorded {
  question: string;
  relevant?: string[];
  kind?: 'off-topic' | 'uncovered';
  says: Script;
}

const install = ['/install'];
const recorded: Recorded[] = [
  // Answered, as they should be: with the line, and by a model that forgot it.
  {
    question: 'How do I install Kestrel?',
    relevant: install,
    says: [line('answered'), 'Run the installer. [1]'],
  },
  { question: 'How do I uninstall Kestrel?', relevant: install, says: ['Run the remover. [1]'] },
  // Wrongly told off: once as a gap, once as another subject.
  {
    question: 'Does Kestrel run on Windows?',
    relevant: install,
    says: [line('unanswered'), 'Das steht leider nicht in der Dokumentation.'],
  },
  {
    question: 'How do I install the station?',
    relevant: install,
    says: [line('refused'), 'I can only help with questions about this documentation.'],
  },
  // Off-topic: with the line in two languages, by our sentence alone, by a translation of it alone.
  {
    question: 'Wie backe ich Brot?',
    kind: 'off-topic',
    says: [line('refused'), 'Ich kann nur bei Fragen zu dieser Dokumentation helfen.'],
  },
  {
    question: 'Qui a peint la Joconde ?',
    kind: 'off-topic',
    says: [line('refused'), 'Je ne réponds qu’aux questions sur cette documentation.'],
  },
  {
    question: 'Write a poem about the wind.',
    kind: 'off-topic',
    says: ['I can only help with questions about this documentation.'],
  },
  {
    question: '¿Quién pintó Las Meninas?',
    kind: 'off-topic',
    says: ['Solo puedo ayudar con preguntas sobre esta documentación.'],
  },
  // It should have been refused, and was not.
  {
    question: 'How do I install a kitchen with the package manager?',
    kind: 'off-topic',
    says: [line('answered'), 'With screws. [1]'],
  },
  // Uncovered: with what is near, by our sentence alone, with a line that is not quite as told.
  {
    question: 'How do I install Kestrel on a phone?',
    kind: 'uncovered',
    says: [line('unanswered'), 'I could not find this in the documentation. It covers Linux [1].'],
  },
  {
    question: 'Can Kestrel send alerts to Slack?',
    kind: 'uncovered',
    says: ['I could not find this in the documentation.'],
  },
  {
    question: 'Does Kestrel measure radiation?',
    kind: 'uncovered',
    says: [{ reply: ({ text }) => `${/<<\w+:/.exec(text)?.[0] ?? ''} Unanswered >>\nNon lo so.` }],
  },
  // Guessed, and not answered at all for a fault.
  {
    question: 'How do I install Kestrel on macOS?',
    kind: 'uncovered',
    says: [line('answered'), 'With brew. [1]'],
  },
  { question: 'How do I zero the sun?', kind: 'uncovered', says: { status: 400 } },
];

test('refusals are counted by kind, and those that are wrong by what the reader was told', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'questions.jsonl');
  const lines = recorded.map(({ question, relevant = [], kind }) =>
    JSON.stringify({ question, relevant, kind }),
  );
  await writeFile(file, lines.join('\n'));
  for (const { says } of recorded) model.once(says);
  const { services } = docent.docent;
  const site = services.sites.named('kestrel-docs');
  const { answers } = await evaluate(site, await readEvalSet(file), services);
  expect(answers).toEqual({
    refusalRecall: 7 / 9,
    offTopic: { questions: 5, recall: 4 / 5 },
    uncovered: { questions: 4, recall: 3 / 4 },
    falseRefusals: 2 / 4,
    falselyOffTopic: 1 / 4,
    falselyUncovered: 1 / 4,
    validCitations: 1,
    failed: 1,
  });
});

test('a kind is for questions without pages', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'questions.jsonl');
  await writeFile(file, '{"question": "How?", "relevant": ["/install"], "kind": "uncovered"}');
  await expect(readEvalSet(file)).rejects.toThrow(/:1: kind: is for questions that the docum/);
});

test('the questions that are shipped have 40 of each kind, none of them twice', async () => {
  const shipped = await readEvalSet(
    fileURLToPath(new URL('../../demo-site/docent-docs.eval.jsonl', import.meta.url)),
  );
  const of = (kind: string) => shipped.filter((one) => one.kind === kind).length;
  expect([of('off-topic'), of('uncovered')]).toEqual([40, 40]);
  const silent = shipped.filter(({ relevant }) => relevant.length === 0);
  expect(new Set(silent.map(({ question }) => question)).size).toBe(silent.length);
});
