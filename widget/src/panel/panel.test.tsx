import { waitFor } from '@testing-library/preact';
import { describe, expect, test } from 'vitest';
import { site } from '../../testing/open-panel.ts';
import { service, show, usePanelService } from '../../testing/panel-test.ts';
import { answer, begin, finish, refuse, say } from '../../testing/service.ts';

usePanelService();

const stored = () =>
  JSON.parse(localStorage.getItem(`docent:${site}`) ?? 'null') as { [key: string]: unknown } | null;

describe('before the first question', () => {
  test('starter questions are requested, and nothing is stored', async () => {
    const panel = show();
    await waitFor(() => expect(panel.all('starter')).toHaveLength(1));
    expect(panel.text('empty')).toContain('Ask about Acme');
    expect(service.siteRequests()).toBe(1);
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, '']);
    panel.panel.close();
    panel.panel.open(true);
    expect(service.siteRequests()).toBe(1);
  });
  test('the field takes the focus only if the reader opened the panel', async () => {
    const panel = show();
    await waitFor(() => expect(panel.shadow.activeElement).toBe(panel.get('input')));
    panel.unmount();
    const unfocused = show(false);
    expect(unfocused.shadow.activeElement).toBeNull();
  });
  test('without starter questions, the headings of the page are suggested', async () => {
    service.startWith([]);
    document.body.innerHTML =
      '<h2>Elsewhere</h2><main><h1>Wind</h1><h2>Install<a>#</a></h2><h2>Read the vane</h2><nav><h2>On this page</h2></nav></main>';
    const panel = show();
    await waitFor(() =>
      expect(panel.all('starter').map(({ textContent }) => textContent)).toEqual([
        'Wind: Install',
        'Read the vane',
      ]),
    );
    panel.unmount();
    const silent = show();
    silent.panel.update({ ...silent.settings, suggestions: false });
    await waitFor(() => expect(silent.text('empty')).toContain('Acme'));
    expect(silent.all('starter')).toEqual([]);
  });
  test('a starter question is asked with a click', async () => {
    service.answerWith(answer('Like this.'));
    const panel = show();
    await waitFor(() => panel.get('starter'));
    panel.click('starter');
    await panel.settled();
    expect(service.asked[0]?.body.messages[0]?.parts[0]?.text).toBe('How do I install it?');
  });
});

describe('a question', () => {
  test('is sent with everything that the service needs, and answered', async () => {
    service.answerWith(answer('Add **one** tag [1].'));
    const panel = show();
    panel.ask('  How do I install it?  ');
    await panel.settled();
    const { headers, body } = service.asked[0] ?? {};
    expect(headers?.authorization).toBe('Bearer svc_dsc_test');
    expect(body).toMatchObject({
      trigger: 'submit-message',
      retrievalPageSize: 5,
      currentPath: '/docs/install',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'How do I install it?' }] }],
    });
    expect(body?.['fp']).toMatch(/^[0-9a-f]{24}$/);
    expect(body).not.toHaveProperty('threadId');
    expect(body).not.toHaveProperty('context');
    expect(panel.get('answer').querySelector('strong')?.textContent).toBe('one');
    expect(panel.get('cite').getAttribute('href')).toContain('/install#tag');
    expect(panel.text('sources')).toContain('Install › Tag');
    expect(panel.text('sources')).toContain('/install#tag');
    expect((panel.get('input') as HTMLTextAreaElement).value).toBe('');
  });
  test('that follows continues the thread, also after a reload', async () => {
    service.answerWith(answer('First.', 'a1'), answer('Second.', 'a2'), answer('Third.', 'a3'));
    let panel = show();
    panel.ask('One?');
    await panel.settled(1);
    panel.ask('Two?');
    await panel.settled(2);
    expect(service.asked[1]?.body).toMatchObject({ threadId: 'thread-1' });
    expect(service.asked[1]?.body.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    panel.unmount();

    panel = show();
    expect(panel.all('answer').map((node) => node.textContent)).toHaveLength(2);
    expect(panel.text('answer')).toContain('First.');
    panel.ask('Three?');
    await panel.settled(3);
    expect(service.asked[2]?.body).toMatchObject({
      threadId: 'thread-1',
      fp: service.asked[0]?.body['fp'],
    });
    expect(service.asked[2]?.body.messages).toHaveLength(5);
  });
  test('carries what was selected, once', async () => {
    service.answerWith(answer('Yes.', 'a1'), answer('No.', 'a2'));
    const panel = show();
    const item = {
      type: 'textSelection' as const,
      value: 'one tag',
      path: '/docs',
      elementId: 'tag',
    };
    panel.panel.addContext(item);
    panel.panel.addContext({ type: 'code', value: 'npm i', path: '/docs', elementId: undefined });
    panel.panel.addContext(item);
    await waitFor(() => expect(panel.all('chip')).toHaveLength(2));
    panel.get('chip').querySelector('button')?.click();
    await waitFor(() => expect(panel.all('chip')).toHaveLength(1));
    panel.panel.addContext({ type: 'code', value: 'npm i', path: '/docs', elementId: undefined });
    panel.ask('What is this?');
    await panel.settled(1);
    expect(service.asked[0]?.body['context']).toEqual([
      item,
      { type: 'code', value: 'npm i', path: '/docs' },
    ]);
    expect(panel.get('question').querySelectorAll('[data-testid=docent-chip]')).toHaveLength(2);
    panel.ask('And now?');
    await panel.settled(2);
    expect(service.asked[1]?.body).not.toHaveProperty('context');
  });
  test('names the page the reader is on when it is asked', async () => {
    service.answerWith(answer('Here.'));
    const panel = show();
    history.pushState(null, '', `/${'x'.repeat(300)}?q=1#h`);
    panel.ask('Where?');
    await panel.settled();
    history.pushState(null, '', '/docs/install');
    expect(service.asked[0]?.body['currentPath']).toBe(`/${'x'.repeat(199)}`);
  });
  test.each([
    [`/ja/${'設定'.repeat(20)}/`, `/ja/${'設定'.repeat(20)}/`],
    ['/100%/a%20b', '/100%/a%20b'],
    ['/docs/#/%E8%A8%AD?id=x', '/docs/#/設'],
  ])('names a page with other letters as readers see it: %s', async (address, path) => {
    service.answerWith(answer('Here.'));
    const panel = show();
    history.pushState(null, '', address);
    panel.ask('Where?');
    await panel.settled();
    history.pushState(null, '', '/docs/install');
    expect(service.asked[0]?.body['currentPath']).toBe(path);
  });
  test('Enter with Shift, or of an input method, does not send', () => {
    const panel = show();
    panel.type('half');
    expect(panel.press('Enter', { shiftKey: true }).defaultPrevented).toBe(false);
    expect(panel.press('Enter', { isComposing: true }).defaultPrevented).toBe(false);
    expect(panel.all('question')).toHaveLength(0);
  });
  test('that is empty is not sent', () => {
    const panel = show();
    panel.ask('   ');
    expect(panel.all('question')).toHaveLength(0);
    expect((panel.get('send') as HTMLButtonElement).disabled).toBe(true);
  });
});

describe('while an answer streams', () => {
  test('it grows, can be stopped, and stays', async () => {
    let isGone = false;
    service.answerWith((response) => {
      response.on('close', () => (isGone = true));
      begin(response);
      say(response, 'The first half');
    });
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.text('answer')).toContain('The first half'));
    expect(panel.get('answer').dataset['state']).toBe('streaming');
    expect(panel.find('sources')).toBeNull();
    panel.click('stop');
    await waitFor(() => expect(panel.get('answer').dataset['state']).toBe('stopped'));
    expect(panel.text('answer')).toContain('The first half');
    expect(panel.find('notice')).toBeNull();
    await waitFor(() => expect(isGone).toBe(true));
    // The service hears of it by name: a connection that breaks might be a reload.
    await waitFor(() => expect(service.stopped).toHaveLength(1));
    expect(service.stopped[0]?.id).toBe('answer-1');
    expect(service.stopped[0]?.headers).toMatchObject({
      authorization: service.asked[0]?.headers.authorization,
      'x-fp': service.asked[0]?.body['fp'],
    });
  });
  test('it is announced at its start and its end only', async () => {
    let response: Parameters<typeof say>[0] | undefined;
    service.answerWith((given) => {
      response = given;
      begin(given);
    });
    const panel = show();
    const heard: string[] = [];
    const listen = new MutationObserver(() => heard.push(panel.text('announcer') ?? ''));
    listen.observe(panel.get('announcer'), { childList: true, characterData: true, subtree: true });
    panel.ask('Tell me');
    await waitFor(() => expect(response).toBeDefined());
    if (!response) return;
    for (const word of ['One ', 'two ', '**three**']) say(response, word);
    await waitFor(() => expect(panel.text('answer')).toContain('three'));
    await waitFor(() => expect(heard).toContain('Answer started'));
    finish(response);
    await panel.settled();
    await waitFor(() => expect(heard.at(-1)).toBe('Answer: One two three'));
    expect(heard.filter(Boolean)).toHaveLength(2);
    listen.disconnect();
  });
  /** An answer that the reader sees growing; the service waits with its end. */
  async function startAnswer(question = 'Tell me') {
    service.answerWith((response) => {
      begin(response);
      say(response, 'The first half');
    });
    const panel = show();
    panel.ask(question);
    await waitFor(() => expect(panel.text('answer')).toContain('The first half'));
    return panel;
  }
  const stopped = () => service.stopped.map(({ id }) => id);

  test('its question can be asked in other words: that stops it', async () => {
    const panel = await startAnswer();
    service.answerWith(answer('Better.', 'a2'));
    panel.click('edit');
    await waitFor(() => panel.get('editor-field'));
    expect(stopped()).toEqual([]);
    const field = panel.get('editor-field') as HTMLTextAreaElement;
    for (const words of ['', 'In other words']) {
      field.value = words;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      const send = panel.get('editor-send') as HTMLButtonElement;
      await waitFor(() => expect(send.disabled).toBe(!words));
    }
    panel.press('Enter', {}, field);
    await waitFor(() => expect(panel.text('answer')).toContain('Better.'));
    await panel.settled(1);
    expect(stopped()).toEqual(['answer-1']);
    expect(panel.all('question')).toHaveLength(1);
    expect(service.asked[1]?.body.messages).toMatchObject([
      { role: 'user', parts: [{ text: 'In other words' }] },
    ]);
    expect(service.asked[1]?.body['messageId']).toBe(service.asked[0]?.body.messages[0]?.id);
    await waitFor(() => expect(panel.text('announcer')).toBe('Answer: Better.'));
  });
  test('a new conversation stops it, and keeps the part', async () => {
    const panel = await startAnswer();
    panel.click('new');
    await waitFor(() => panel.get('empty'));
    await waitFor(() => expect(stopped()).toEqual(['answer-1']));
    const [key] = Object.keys(localStorage).filter((name) => name.includes(':c:'));
    const kept = JSON.parse(localStorage.getItem(key ?? '') ?? '') as object;
    expect(kept).toMatchObject({ messages: [{}, { text: 'The first half', ended: 'stopped' }] });
    expect(kept).not.toHaveProperty('running');
  });
  test('deleting its conversation stops it; undone, it stays stopped', async () => {
    const panel = await startAnswer();
    panel.click('history');
    await waitFor(() => panel.get('thread-delete'));
    panel.click('thread-delete');
    await waitFor(() => expect(stopped()).toEqual(['answer-1']));
    panel.click('threads-undo');
    await waitFor(() => panel.get('thread-open'));
    panel.click('thread-open');
    await waitFor(() => expect(panel.get('answer').dataset['state']).toBe('stopped'));
    expect(service.resumed).toEqual([]);
  });
  test('neither closing the panel nor leaving the page stops it', async () => {
    const panel = await startAnswer();
    panel.press('Escape');
    expect(panel.closedCount()).toBe(1);
    dispatchEvent(new Event('pagehide'));
    panel.unmount();
    service.resumeWith((response) => {
      begin(response);
      say(response, 'The first half, and the second.');
      finish(response);
    });
    const next = show();
    await next.settled();
    expect(next.text('answer')).toContain('and the second.');
    expect(stopped()).toEqual([]);
  });
  test('a reload keeps the part; what the service has forgotten can be answered again', async () => {
    service.answerWith(
      (response) => {
        begin(response);
        say(response, 'Half an');
      },
      answer('A whole answer.', 'a2'),
    );
    let panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.text('answer')).toContain('Half an'));
    dispatchEvent(new Event('pagehide'));
    const left = localStorage.getItem(`docent:${site}`) ?? '';
    panel.unmount();
    // As the page left it: what comes after pagehide is not part of this story.
    localStorage.setItem(`docent:${site}`, left);
    panel = show();
    expect(panel.text('answer')).toContain('Half an');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('gone'));
    expect(service.resumed).toMatchObject([{ id: 'answer-1', skip: 0 }]);
    expect(panel.get('answer').dataset['state']).toBe('interrupted');
    expect(panel.text('answer')).toContain('Half an');
    panel.click('retry');
    await waitFor(() => expect(panel.text('answer')).toContain('A whole answer.'));
    await panel.settled(1);
    expect(service.asked[1]?.body).toMatchObject({
      trigger: 'regenerate-message',
      threadId: 'thread-1',
    });
    expect(panel.all('question')).toHaveLength(1);
  });
});

describe('the conversation', () => {
  test('the last answer can be replaced', async () => {
    service.answerWith(answer('One.', 'a1'), answer('Better.', 'a2'));
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    panel.click('retry');
    await waitFor(() => expect(panel.text('answer')).toContain('Better.'));
    await panel.settled(1);
    expect(service.asked[1]?.body).toMatchObject({
      trigger: 'regenerate-message',
      threadId: 'thread-1',
    });
    expect(service.asked[1]?.body.messages.map(({ role }) => role)).toEqual(['user']);
  });
  test('an answer that was cut off says so, also after a reload, and can be continued', async () => {
    service.answerWith(
      (response) => {
        begin(response);
        say(response, 'The first half');
        finish(response, 'length');
      },
      answer('And the rest.', 'a2'),
    );
    let panel = show();
    panel.ask('Tell me');
    await panel.settled();
    const words = 'This answer was cut off because it reached its maximum length.';
    expect(panel.get('answer').dataset['state']).toBe('truncated');
    expect(panel.text('answer')).toContain(words);
    await waitFor(() => expect(panel.text('announcer')).toBe(`Answer: The first half ${words}`));
    expect(panel.events.map(([name]) => name)).toContain('answer');
    panel.unmount();
    panel = show();
    expect(panel.text('answer')).toContain(words);
    panel.click('continue');
    await panel.settled(2);
    expect(service.asked[1]?.body).toMatchObject({ threadId: 'thread-1' });
    expect(service.asked[1]?.body.messages.at(-1)?.parts[0]?.text).toBe(
      'Please continue where you stopped.',
    );
    expect(panel.find('continue')).toBeNull();
  });
  test('an answer that the provider withheld says so', async () => {
    service.answerWith((response) => {
      begin(response);
      say(response, 'The first half');
      finish(response, 'content-filter');
    });
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    expect(panel.text('answer')).toContain('The rest of this answer was withheld');
    expect(panel.find('continue')).toBeNull();
  });
  test('can be started over', async () => {
    service.answerWith(answer('One.', 'a1'), answer('Two.', 'a2'));
    const panel = show();
    panel.ask('Tell me');
    await panel.settled();
    const fp = stored()?.['fp'];
    panel.click('new');
    await waitFor(() => panel.get('empty'));
    panel.ask('Anew');
    await panel.settled();
    const titles = [{ title: 'Anew' }, { title: 'Tell me' }];
    await waitFor(() => expect(stored()).toMatchObject({ fp, conversations: titles }));
    expect(service.asked[1]?.body).not.toHaveProperty('threadId');
    expect(service.asked[1]?.body.messages).toHaveLength(1);
  });
  test("keeps the reader's feedback when the page is left", async () => {
    service.answerWith(answer('One.', 'a1'));
    let panel = show();
    panel.ask('Tell me');
    await panel.settled();
    const isUp = () =>
      waitFor(() => expect(panel.get('thumb-up').getAttribute('aria-pressed')).toBe('true'));
    expect(['copy', 'retry', 'thumb-up', 'thumb-down'].map(panel.text)).toEqual([
      'Copy',
      'Answer again',
      'Helpful',
      'Not helpful',
    ]);
    panel.click('thumb-up');
    await isUp();
    dispatchEvent(new Event('pagehide'));
    panel.unmount();
    panel = show();
    await isUp();
  });
  test('continues if the service has lost the thread', async () => {
    service.answerWith(answer('One.', 'a1'), refuse(404, 'not_found'), answer('Two.', 'a2'));
    const panel = show();
    panel.ask('First');
    await panel.settled(1);
    panel.ask('Second');
    await panel.settled(2);
    expect(service.asked.map(({ body }) => body['threadId'])).toEqual([
      undefined,
      'thread-1',
      undefined,
    ]);
    expect(service.asked[2]?.body.messages).toHaveLength(3);
    expect(panel.find('notice')).toBeNull();
  });
  test('an open panel is remembered in this tab once there is a conversation', async () => {
    service.answerWith(answer('One.'));
    const panel = show();
    expect(sessionStorage.length).toBe(0);
    panel.ask('Tell me');
    await panel.settled();
    expect(sessionStorage.getItem(`docent:${site}:open`)).toBe('1');
    panel.press('Escape');
    expect(sessionStorage.getItem(`docent:${site}:open`)).toBeNull();
    expect(panel.closedCount()).toBe(1);
  });

  test('a page that is left before its panel has opened does not close it on the next one', async () => {
    service.answerWith(answer('Yes.'));
    const before = show();
    before.ask('Is it open?');
    await before.settled();
    before.unmount();
    const left = show(false, false);
    expect(sessionStorage.getItem(`docent:${site}:open`)).toBe('1');
    left.panel.open(false);
    left.click('close');
    expect(sessionStorage.getItem(`docent:${site}:open`)).toBeNull();
  });
});

test('unmount leaves nothing behind', async () => {
  service.answerWith(answer('One.'));
  const panel = show();
  const sheets = panel.shadow.adoptedStyleSheets.length;
  panel.ask('Tell me');
  await panel.settled();
  panel.unmount();
  expect(panel.shadow.childNodes).toHaveLength(0);
  expect(panel.shadow.adoptedStyleSheets).toHaveLength(sheets - 1);
});
