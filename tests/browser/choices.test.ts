/** An answer that asks back: choices to press, by keyboard too, in the reader's language, after a reload, and in the copy. */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/fixture.ts';
import { writeTwoVersions } from '../support/two-versions.ts';
import { findAxeViolations } from './axe.ts';
import { chromiumPath } from './browser.ts';
import { startWidgetHost } from './widget-host.ts';

const question = 'How do I calibrate the wind vane?';

if (chromiumPath !== undefined)
  describe('an answer that asks back', () => {
    test('offers versions, and the pressed one is answered', async () => {
      await using home = await temporaryFolder();
      await using host = await startWidgetHost({
        answer: null,
        sites: { 'kestrel-docs': { docs: { sources: await writeTwoVersions(home.path) } } },
      });
      await host.docent.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
      const html = host.document(host.tag(), { language: 'de' });
      const { page, reader, faults, close } = await host.visit(host.put('/', html));
      await reader.open();
      await reader.ask(question);
      await reader.isDone();
      const asked = () => reader.get('answer').first().innerText();
      expect(await asked()).toMatch(/Welche verwenden Sie\?\s+2\s+1$/);
      await expect.poll(() => reader.get('announcer').textContent()).toContain('Welche verwenden');
      expect(await reader.get('thumb-up').count()).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
      await page.reload();
      await reader.get('choice').first().waitFor();
      expect(await asked()).toMatch(/Welche verwenden Sie\?\s+2\s+1$/);
      // By the keyboard alone.
      await reader.get('choice').last().focus();
      await page.keyboard.press('Enter');
      await reader.isDone(2);
      expect(await reader.answer().innerText()).toContain('brass screw');
      expect(await reader.answer().innerText()).not.toContain('satellite');
      const saved = page.waitForEvent('download');
      await reader.get('menu').click();
      await reader.get('menu-download').click();
      const stream = await (await saved).createReadStream();
      let text = '';
      for await (const piece of stream) text += String(piece);
      expect(text).toMatch(/Which one do you use\?\n\n- 2\n- 1\n\n## 1\n/);
      expect(faults).toEqual([]);
      await close();
    });
  });
