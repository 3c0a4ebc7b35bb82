/** Whoever answers in the service's name may cost an answer, never the page. */
import { waitFor } from '@testing-library/preact';
import { describe, expect, test } from 'vitest';
import type { AnswerPart } from '@docent/shared/stream';
import { lex } from '../markdown/lexer.ts';
import { readJson, toName, toQuestions } from '../chat/limits.ts';
import { service, show, usePanelService } from '../../testing/panel-test.ts';
import { answer, begin, finish, refuse, say, write } from '../../testing/service.ts';

usePanelService();

const long = 'x'.repeat(5_000);
const bad = (part: unknown) => part as AnswerPart;

describe('an answer', () => {
  test('with many long sources and suggestions: they are limited', async () => {
    service.answerWith((response) => {
      begin(response);
      for (let at = 2; at < 500; at++)
        write(response, {
          type: 'source-url',
          sourceId: String(at),
          url: at % 2 ? `/page-${at}` : 'javascript:alert(1)',
          title: `${at} ${long}`,
          providerMetadata: { docent: { quote: long } },
        });
      write(response, { type: 'source-url', sourceId: 'far', url: `/${long}`, title: 'Far' });
      const questions = [
        'Same?',
        'Same?',
        ' ',
        ...Array.from({ length: 90 }, (_, at) => at + long),
      ];
      write(response, { type: 'data-suggestions', data: { questions } });
      write(response, { type: 'data-suggestions', data: { questions: ['Another list?'] } });
      say(response, 'Yes. [1]');
      finish(response);
    });
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    const sources = panel.all('source');
    expect(sources.length).toBeLessThanOrEqual(50);
    for (const source of sources) {
      expect(source.getAttribute('href')).toMatch(/^http:/);
      expect(source.textContent?.length).toBeLessThan(700);
    }
    const suggestions = panel.all('suggestion').map((each) => each.textContent ?? '');
    expect(suggestions).toHaveLength(5);
    expect(suggestions[0]).toBe('Same?');
    expect(Math.max(...suggestions.map((each) => each.length))).toBe(300);
  });

  test.each([
    ['of words', (at: number) => ({ type: 'text-delta', id: 't', delta: `${at} ${long}\n\n` })],
    ['of steps', () => ({ type: 'start-step' })],
    ['of texts', (at: number) => ({ type: 'text-start', id: `more-${at}` })],
  ])('without end, %s: is left, and what had come is kept', async (_, part) => {
    let isLeft = false;
    service.answerWith((response) => {
      response.on('close', () => (isLeft = true));
      begin(response);
      say(response, 'The beginning. ');
      for (let at = 0; at < 200; at++) write(response, bad(part(at)));
    });
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('server'));
    expect(panel.text('answer')).toContain('The beginning.');
    expect(panel.text('answer').length).toBeLessThan(110_000);
    await waitFor(() => expect(isLeft).toBe(true));
    // And the next one is an answer as any.
    service.answerWith(answer('All is well.', 'next'));
    panel.ask('Again');
    await waitFor(() => expect(panel.text('conversation')).toContain('All is well.'));
  });

  test('of one endless part ends, too', async () => {
    service.answerWith((response) => {
      begin(response);
      response.write('data: {"type":"text-delta","id":"t","delta":"');
      for (let at = 0; at < 300; at++) response.write(long);
    });
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('server'));
  });

  test('with unknown or malformed parts: they are ignored', async () => {
    service.answerWith((response) => {
      begin(response);
      for (let at = 0; at < 2_000; at++)
        write(response, bad({ type: `data-new-${at}`, data: { long } }));
      const context = 'no list';
      write(response, bad({ type: 'message-metadata', messageMetadata: { context, feedback: 1 } }));
      write(response, bad({ type: 'data-suggestions', data: null }));
      write(response, bad({ type: 'source-url', sourceId: '2', url: '/two', title: { no: 1 } }));
      say(response, 'Yes.');
      write(response, { type: 'text-end', id: 't' });
      write(response, bad({ type: 'finish', messageMetadata: { threadId: long } }));
      response.end();
    });
    service.answerWith(answer('Once more.', 'next'));
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    expect(panel.text('answer')).toContain('Yes.');
    panel.ask('And now?');
    await panel.settled(2);
    // The name that it was given first; the other would be refused for ever.
    expect(service.asked[1]?.body['threadId']).toBe('thread-1');
  });

  test.each([
    ['quotations', '> '.repeat(10_000) + 'deep'],
    ['lists', '- 1. '.repeat(5_000) + 'deep'],
    [
      'a staircase',
      Array.from({ length: 400 }, (_, at) => `${' '.repeat(2 * at)}- deep`).join('\n'),
    ],
    ['emphasis', '*a **b '.repeat(3_000) + '** *'.repeat(3_000)],
  ])('of %s within each other is drawn as text', async (_, text) => {
    service.answerWith(answer('Before.', 'a1'), (response) => {
      begin(response, 'thread-1', 'a2');
      say(response, text);
      finish(response);
    });
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    panel.ask('And now?');
    await panel.settled(2);
    expect(panel.text('conversation')).toContain('Before.');
    expect(
      lex(text)
        .map(({ raw }) => raw)
        .join(''),
    ).toBe(text);
  });
});

describe('a refusal', () => {
  test.each([
    ['an absurd time to wait', { retryAfter: 1e15 }, /31 days/],
    ['a time that is none', { retryAfter: 'soon' }, /./],
  ])('with %s', async (_, more, words) => {
    service.answerWith(refuse(429, 'rate_limited', more));
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.text('notice')).toMatch(words));
  });
  test('that is a page of a megabyte', async () => {
    service.answerWith((response) => {
      response.writeHead(502, { 'access-control-allow-origin': '*', 'content-type': 'text/html' });
      response.end('<h1>Bad gateway</h1>'.repeat(50_000));
    });
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('server'));
  });
});

test('questions, names and replies of any kind', async () => {
  expect(toQuestions(undefined, 3)).toEqual([]);
  expect(toQuestions({ length: 1e9 }, 3)).toEqual([]);
  expect(toQuestions(['a', 1, null, 'a', 'b', 'c', 'd'], 3)).toEqual(['a', 'b', 'c']);
  expect([toName(long), toName(1), toName(''), toName('t1')]).toEqual([
    undefined,
    undefined,
    undefined,
    't1',
  ]);
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(long)),
  });
  await expect(readJson(new Response(endless))).rejects.toThrow('too long');
  await expect(readJson(new Response('<html>'))).rejects.toThrow(SyntaxError);
  expect(await readJson(new Response('{"a":"ü"}'))).toEqual({ a: 'ü' });
});
