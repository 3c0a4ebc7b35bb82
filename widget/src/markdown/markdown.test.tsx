import { cleanup } from '@testing-library/preact';
import { options, type VNode } from 'preact';
import { afterEach, describe, expect, test } from 'vitest';
import { documents } from '../../testing/documents.ts';
import { draw } from '../../testing/render.tsx';
import { lex } from './lexer.ts';

afterEach(cleanup);

describe('a text that grows', () => {
  test.each(Object.entries(documents))(
    '%s: each cut is drawn, the end is as if drawn at once',
    (_name, text) => {
      const once = draw(text).html();
      const growing = draw('', true);
      for (let end = 1; end <= text.length; end++) growing.grow(text.slice(0, end));
      growing.grow(text, false);
      expect(growing.html()).toBe(once);
    },
  );

  test.each(Object.entries(documents))(
    '%s: every cut, drawn alone and finished, stands',
    (_name, text) => {
      for (let end = 1; end <= text.length; end += 3) {
        const cut = draw(text.slice(0, end), true);
        cut.grow(text.slice(0, end), false);
        expect(cut.html()).toBe(draw(text.slice(0, end)).html());
        cleanup();
      }
    },
  );

  test('the lexer gives back every character, so that blocks know where they begin', () => {
    for (const text of Object.values(documents)) {
      const source = text.replace(/\r\n/g, '\n');
      expect(
        lex(source)
          .map(({ raw }) => raw)
          .join(''),
      ).toBe(source);
    }
  });

  test('finished blocks keep their nodes', () => {
    const text = documents['answer'] ?? '';
    const growing = draw('', true);
    const removed: Node[] = [];
    const kept: Element[] = [];
    for (let end = 1; end <= text.length; end++) {
      growing.grow(text.slice(0, end));
      const blocks = [...(growing.container.querySelector('.markdown')?.children ?? [])];
      // All but the last two can no longer change.
      for (const block of blocks.slice(0, -2)) if (!kept.includes(block)) kept.push(block);
      removed.push(...kept.filter((block) => !block.isConnected));
    }
    growing.grow(text, false);
    removed.push(...kept.filter((block) => !block.isConnected));
    expect(kept.length).toBeGreaterThan(4);
    expect(removed).toEqual([]);
  });

  test('list items above the growing one keep their nodes', () => {
    const growing = draw('- one\n- two', true);
    const first = growing.container.querySelector('li');
    growing.grow('- one\n- two and\n- three **bo');
    growing.grow('- one\n- two and\n- three **bold**\n\nAfter\n\nMore', false);
    expect(growing.container.querySelector('li')).toBe(first);
    expect(first?.isConnected).toBe(true);
  });

  test('the words before a citation, and the rows of a growing table, keep their nodes', () => {
    const text =
      'As said\n\n| a | b |\n|---|---|\n| one | two |\n| three | **four** |\n\nWords so [1] and on [2].';
    const growing = draw('', true);
    const first = new Map<string, Node>();
    for (let end = 1; end <= text.length; end++) {
      growing.grow(text.slice(0, end));
      const rows = [...growing.container.querySelectorAll('tr')];
      const words = growing.container.querySelector('p:last-child')?.firstChild;
      rows.forEach((row, index) => first.set(`row ${index}`, first.get(`row ${index}`) ?? row));
      if (words?.textContent?.startsWith('Words so'))
        first.set('words', first.get('words') ?? words);
    }
    expect([...first.keys()]).toEqual(['row 0', 'row 1', 'row 2', 'words']);
    expect([...first].filter(([, node]) => !node.isConnected)).toEqual([]);
  });

  test('finished text is not compared again, however long the answer is', () => {
    const text = documents['answer'] ?? '';
    // eslint-disable-next-line typescript/unbound-method -- called without one by Preact, too
    const { diffed } = options;
    let compared = 0;
    options.diffed = (node: VNode) => {
      if (typeof node.type === 'string') compared++;
      diffed?.(node);
    };
    try {
      const growing = draw('', true);
      const costs = [1, 2, 3, 4].map((time) => {
        compared = 0;
        const before = text.repeat(time - 1);
        for (let end = 20; end < text.length; end += 20) growing.grow(before + text.slice(0, end));
        return compared;
      });
      expect(costs[0]).toBeGreaterThan(0);
      // The last of its blocks is on the screen when the next copy begins.
      expect(Math.max(...costs)).toBeLessThan((costs[0] ?? 0) * 1.2);
    } finally {
      if (diffed) options.diffed = diffed;
      else delete options.diffed;
    }
  });

  test('a text that is replaced starts over', () => {
    const growing = draw('# Old\n\nfirst\n\nsecond\n\nthird', true);
    growing.grow('New');
    expect(growing.container.textContent).toBe('New');
  });
});

describe('an unfinished end', () => {
  test.each([
    ['some **bold', '<p>some <strong>bold</strong></p>'],
    ['some **', '<p>some</p>'],
    ['some *em', '<p>some <em>em</em></p>'],
    ['some `code', '<p>some <code>code</code></p>'],
    ['a **b and `c', '<p>a <strong>b and <code>c</code></strong></p>'],
    ['see [the docs](https://exa', '<p>see the docs</p>'],
    ['see [the do', '<p>see the do</p>'],
    ['as shown [', '<p>as shown</p>'],
    ['as shown [1', '<p>as shown</p>'],
    ['text\n-', '<p>text</p>'],
    ['text\n=', '<p>text</p>'],
    ['text\n\n#', '<p>text</p>'],
    ['text\n\n| a | b', '<p>text</p>'],
    ['text\n\n| a | b |\n|--', '<p>text</p>'],
    [
      '- one\n- two **b',
      '<ul class="tight"><li><p>one</p></li><li><p>two <strong>b</strong></p></li></ul>',
    ],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
    ['snake_case', '<p>snake_case</p>'],
  ])('%j', (text, html) => {
    const wrapper = draw(text, true).container.querySelector('.markdown');
    expect(wrapper?.innerHTML.replace(/\s+(?=<\/p>)/g, '')).toBe(html);
  });

  test('a code block shows while it is written', () => {
    const { container } = draw('```ts\nconst a = `x${**', true);
    expect(container.querySelector('pre')?.textContent).toBe('const a = `x${**');
    expect(container.querySelector('.code-language')?.textContent).toBe('ts');
  });
});

describe('citations', () => {
  test('become links to the source of that number', () => {
    const { container } = draw('It is so [1] and so [2, 3].');
    const links = [...container.querySelectorAll('a.cite')];
    expect(links.map((link) => link.textContent)).toEqual(['1', '2', '3']);
    expect(links[0]?.getAttribute('href')).toBe('/page-1#heading'.replace(/^/, location.origin));
    expect(links[0]?.getAttribute('aria-label')).toBe('Source 1: Page 1');
    expect(links[0]?.getAttribute('target')).toBeNull();
  });
  test.each(['[7]', '`[1]`', 'array[x]', '    [1]'])('%j stays text', (text) => {
    const { container } = draw(text);
    expect(container.querySelector('a')).toBeNull();
    expect(container.textContent).toContain(text.replaceAll('`', '').trim());
  });
});

describe('blocks', () => {
  test('a table scrolls inside its own region', () => {
    const { container } = draw('| a | b |\n|---|--:|\n| 1<br>2 | **x** |');
    const region = container.querySelector('[role=region]');
    expect(region?.getAttribute('tabindex')).toBe('0');
    expect(region?.querySelectorAll('td')).toHaveLength(2);
    expect(region?.querySelector('td br')).not.toBeNull();
    expect(region?.querySelector('td.align-right strong')?.textContent).toBe('x');
  });
  test('a code block has its language and a copy button', () => {
    const { container } = draw('```bash npm\nls\n```');
    expect(container.querySelector('.code-language')?.textContent).toBe('bash');
    expect(container.querySelector('button')?.getAttribute('aria-label')).toBe('Copy code');
  });
  test('links to other sites open in a new tab, links to this site in the same one', () => {
    const { container } = draw('[here](/x) [there](https://other.example/)');
    const [here, there] = container.querySelectorAll('a');
    expect(here?.getAttribute('target')).toBeNull();
    expect(there?.getAttribute('target')).toBe('_blank');
    expect(there?.getAttribute('rel')).toContain('noopener');
  });
  test('links resolve against the page, also with <base>', () => {
    const base = document.createElement('base');
    Object.assign(base, { href: 'https://cdn.example.com/', target: '_blank' });
    document.head.append(base);
    const link = draw('[here](/x)').container.querySelector('a');
    base.remove();
    expect(link?.href).toBe(new URL('/x', location.href).href);
    expect(link?.getAttribute('target')).toBe('_self');
  });

  test('a picture of this site is shown, any other is offered', () => {
    const { container } = draw('![a](/a.png) ![b](https://evil.example/b.png?q=secret)');
    expect([...container.querySelectorAll('img')].map((image) => image.alt)).toEqual(['a']);
    expect(container.querySelector('button')?.textContent).toBe(
      'Load picture from evil.example: b',
    );
  });
  test('entities are read, tags are text', () => {
    expect(draw('a &amp; b &lt;i&gt; &#x41; <i>x</i>').container.textContent).toBe(
      'a & b <i> A <i>x</i>',
    );
  });
});
