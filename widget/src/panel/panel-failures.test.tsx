import { waitFor } from '@testing-library/preact';
import { describe, expect, test, vi } from 'vitest';
import { service, show, usePanelService } from '../../testing/panel-test.ts';
import { answer, begin, refuse, say, write } from '../../testing/service.ts';

usePanelService();

describe('when something fails', () => {
  test.each([
    [401, 'unauthorized', 'setup', 'retry'],
    [403, 'forbidden', 'forbidden', 'retry'],
    [404, 'not_found', 'notFound', 'retry'],
    [413, 'too_large', 'tooLarge', 'change'],
    [400, 'bad_request', 'bad', 'change'],
    [500, 'internal', 'server', 'retry'],
    [502, 'upstream_failed', 'upstream', 'retry'],
    [502, 'model_refused', 'setup', 'retry'],
    [503, 'unavailable', 'server', 'retry'],
  ] as const)('%i %s', async (status, code, kind, action) => {
    service.answerWith(refuse(status, code));
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe(kind));
    expect(panel.text('notice')).not.toContain('For programs.');
    expect(panel.find(action)).not.toBeNull();
    // The question is not lost.
    expect(panel.text('question')).toContain('Tell me');
  });
  test('trying again sends the same question as a new one, with its context', async () => {
    service.answerWith(refuse(500, 'internal'), answer('Now.'));
    const panel = show();
    panel.panel.addContext({ type: 'code', value: 'npm i', path: '/docs', elementId: undefined });
    panel.ask('Tell me');
    await waitFor(() => panel.get('notice'));
    panel.click('retry');
    await panel.settled();
    expect(service.asked[1]?.body).toMatchObject({
      trigger: 'submit-message',
      context: [{ value: 'npm i' }],
    });
    expect(panel.all('question')).toHaveLength(1);
    expect(panel.find('notice')).toBeNull();
  });
  test('a limit counts down, then lets the reader go on', async () => {
    service.answerWith(refuse(429, 'rate_limited', { retryAfter: 2 }));
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.text('notice')).toContain('2 s'));
    const retry = () => panel.get('retry') as HTMLButtonElement;
    expect(retry().disabled).toBe(true);
    await waitFor(() => expect(retry().disabled).toBe(false));
    expect(panel.text('notice')).toContain('You can ask again now.');
  });
  test('a budget that is used up says so, and when it starts again', async () => {
    service.answerWith(refuse(429, 'budget_exceeded', { retryAfter: 10 * 86_400 }));
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('budget'));
    expect(panel.text('notice')).toContain('budget is used up');
    expect(panel.text('notice')).toContain('You can ask again in 10 days.');
  });
  test('an error inside the stream keeps the answer so far', async () => {
    service.answerWith((response) => {
      begin(response);
      say(response, 'Half an');
      const error = { error: 'The model failed.', code: 'upstream_failed', requestId: 'r1' };
      response.end(
        `data: ${JSON.stringify({ type: 'error', errorText: JSON.stringify(error) })}\n\n`,
      );
    });
    const panel = show();
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('upstream'));
    expect(panel.text('answer')).toContain('Half an');
  });
  test('offline: the question waits and is sent when the network is back', async () => {
    service.answerWith((response) => response.destroy(), answer('Back.'));
    const panel = show();
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    panel.ask('Tell me');
    await waitFor(() => expect(panel.get('notice').dataset['kind']).toBe('offline'));
    panel.type('a draft');
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
    dispatchEvent(new Event('online'));
    await panel.settled();
    expect(panel.text('answer')).toContain('Back.');
    expect((panel.get('input') as HTMLTextAreaElement).value).toBe('a draft');
  });
  test('a question that is too long returns to the field with its context', async () => {
    service.answerWith(refuse(413, 'too_large'));
    const panel = show();
    panel.panel.addContext({ type: 'code', value: 'npm i', path: '/docs', elementId: undefined });
    panel.ask('Tell me');
    await waitFor(() => panel.get('change'));
    panel.click('change');
    await waitFor(() => expect((panel.get('input') as HTMLTextAreaElement).value).toBe('Tell me'));
    expect(panel.get('input').closest('form')?.textContent).toContain('npm i');
  });
  describe('pages that may help', () => {
    const hit = (heading: string, content: string) => ({
      content,
      path: '/install',
      metadata: { title: 'Install', heading, url: `${location.origin}/install#x`, score: 0.9 },
    });
    test.each([
      [429, 'rate_limited'],
      [429, 'budget_exceeded'],
      [502, 'upstream_failed'],
      [502, 'model_refused'],
      [503, 'unavailable'],
    ])('%i %s: stand in the place of an answer', async (status, code) => {
      service.findAlways([hit('On <b>Linux</b>', 'Run the **installer** of Acme.')]);
      service.answerWith(refuse(status, code));
      const panel = show();
      panel.ask('How do I install it?');
      await waitFor(() => panel.get('hits'));
      expect(service.searched).toMatchObject([{ query: 'How do I install it?', pageSize: 5 }]);
      expect(panel.all('hit')).toHaveLength(1);
      expect(panel.text('hit')).toBe('Install › On <b>Linux</b>/installRun the installer of Acme.');
      const marks = [...panel.get('hit').querySelectorAll('mark')].map((mark) => mark.textContent);
      expect(marks).toEqual(['Install', 'installer']);
      panel.click('hit');
      expect(panel.events).toContainEqual(['source', { url: `${location.origin}/install#x` }]);
    });
    test('none found: nothing is shown', async () => {
      service.answerWith(refuse(502, 'upstream_failed'));
      const panel = show();
      panel.ask('How do I install it?');
      await waitFor(() => expect(service.searched).toHaveLength(1));
      expect(panel.find('hits')).toBeNull();
    });
    test('with a wrong key, there is no search', async () => {
      service.answerWith(refuse(401, 'unauthorized'));
      const panel = show();
      panel.ask('How do I install it?');
      await waitFor(() => panel.get('notice'));
      expect(service.searched).toEqual([]);
    });
    test('if an answer had begun, its sources are shown instead', async () => {
      service.answerWith((response) => {
        begin(response);
        const error = { error: 'The model failed.', code: 'upstream_failed', requestId: 'r1' };
        write(response, { type: 'error', errorText: JSON.stringify(error) });
        response.end();
      });
      const panel = show();
      panel.ask('How do I install it?');
      await waitFor(() => panel.get('notice'));
      expect(panel.text('sources')).toContain('Install › Tag');
      expect(service.searched).toEqual([]);
    });
  });
  test('without storage the conversation lives in memory', async () => {
    const deny = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: deny, setItem: deny, clear: () => {} });
    service.answerWith(answer('One.', 'a1'), answer('Two.', 'a2'));
    const panel = show();
    panel.ask('First');
    await panel.settled(1);
    panel.ask('Second');
    await panel.settled(2);
    expect(service.asked[1]?.body).toMatchObject({ threadId: 'thread-1' });
    vi.unstubAllGlobals();
  });
});
