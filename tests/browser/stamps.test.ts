/** Below an answer stands of when the documentation is that it is from, also in the copy of the conversation. */
import { expect, test, describe } from 'vitest';
import { fixtureDocs } from '../support/fixture.ts';
import { chromiumPath } from './browser.ts';
import { startWidgetHost } from './widget-host.ts';

if (chromiumPath !== undefined)
  describe('the stamp of an answer', () => {
    test('has the day and the version, in the page’s language, and stays after a reload', async () => {
      await using host = await startWidgetHost({
        answer: null,
        sites: {
          'kestrel-docs': {
            docs: { sources: [{ type: 'folder', folder: fixtureDocs, version: '2.1' }] },
          },
        },
        now: () => new Date('2026-11-26T12:00:00.000Z'),
      });
      await host.docent.docent.services.indexer.index('kestrel-docs');
      const html = host.document(host.tag(), { language: 'de' });
      const { page, reader, faults, close } = await host.visit(host.put('/', html));
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      const stamp = () => reader.get('stamp').textContent();
      expect(await stamp()).toBe('Dokumentation vom 26.11.2026, Version 2.1');
      await page.reload();
      await reader.get('answer').waitFor();
      expect(await stamp()).toBe('Dokumentation vom 26.11.2026, Version 2.1');
      const saved = page.waitForEvent('download');
      await reader.get('menu').click();
      await reader.get('menu-download').click();
      const stream = await (await saved).createReadStream();
      let text = '';
      for await (const piece of stream) text += String(piece);
      expect(text).toMatch(/\*Dokumentation vom .*, Version 2\.1\*/);
      expect(faults).toEqual([]);
      await close();
    });
  });
