/** Pages as the generators that people use build them. */
import { describe, expect, test } from 'vitest';
import { readHtmlPage } from './read-html-page.ts';

function read(body: string, head = '') {
  const { page } = readHtmlPage({
    html: `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`,
    url: 'https://d.test/page',
    baseUrl: 'https://d.test',
  });
  if (!page) throw new Error('The page has no text.');
  return page;
}
const outline = (page: ReturnType<typeof read>) =>
  page.passages.map(({ anchor, heading }) => [anchor, heading]);

test('Docusaurus: heading links, Prism lines, tabs, admonitions, navigation', () => {
  const page = read(`
<nav class="navbar"><a href="/">Site</a></nav>
<div class="theme-doc-sidebar-container"><nav class="menu">Sidebar</nav></div>
<main><article>
<nav class="theme-doc-breadcrumbs"><ul class="breadcrumbs"><li>Guides</li></ul></nav>
<span class="theme-doc-version-badge badge">Version: 3.0</span>
<div class="tocCollapsible_x theme-doc-toc-mobile"><button>On this page</button></div>
<div class="theme-doc-markdown markdown"><header><h1>Deployment</h1></header>
<p>Build <strong>first</strong>, see <a href="/cli#build">the CLI</a>.</p>
<h2 class="anchor anchorWithStickyNavbar_x" id="servers-id">Servers<a href="#servers-id" class="hash-link" aria-label="Direct link to Servers" title="Direct link to Servers">\u200B</a></h2>
<div class="theme-tabs-container tabs-container"><ul role="tablist" class="tabs"><li role="tab" aria-selected="true">Apache</li><li role="tab">Nginx</li></ul>
<div class="margin-top--md"><div role="tabpanel" class="tabItem_x"><p>Use it:</p>
<div class="language-apacheconf codeBlockContainer_x theme-code-block"><div class="codeBlockTitle_x">.htaccess</div><div class="codeBlockContent_x"><pre tabindex="0" class="prism-code language-apacheconf"><code class="codeBlockLines_x"><span class="token-line" style="color:#393A34"><span class="token plain">RewriteEngine On</span><br></span><span class="token-line"><span class="token plain">  Indented yes</span><br></span></code></pre><div class="buttonGroup_x"><button aria-label="Copy code">Copy</button></div></div></div></div>
<div role="tabpanel" class="tabItem_x" hidden=""><p>Use a location block.</p></div></div></div>
<div class="theme-admonition theme-admonition-warning alert alert--warning"><div class="admonitionHeading_x"><span class="admonitionIcon_x"><svg></svg></span>Mind the cache</div><div class="admonitionContent_x"><p>Clear it.</p></div></div>
<details class="details_x"><summary>More hosts</summary><div><p>Upload it.</p></div></details>
</div><footer class="theme-doc-footer"><a href="/edit">Edit this page</a></footer></article>
<nav class="pagination-nav">Next</nav></main>`);
  expect(page.title).toBe('Deployment');
  expect(outline(page)).toEqual([
    ['', 'Deployment'],
    ['servers-id', 'Servers'],
  ]);
  expect(page.passages[0]?.markdown).toBe('Build **first**, see [the CLI](/cli#build).');
  expect(page.passages[1]?.markdown).toBe(
    '**Apache**\n\nUse it:\n\n```apacheconf title=".htaccess"\nRewriteEngine On\n  Indented yes\n```\n\n**Nginx**\n\nUse a location block.\n\n**Mind the cache**\n\nClear it.\n\n**More hosts**\n\nUpload it.',
  );
});

test('VitePress: Shiki lines, code groups, custom blocks, header anchors', () => {
  const page = read(`<div class="VPNav">x</div><aside class="VPSidebar">Menu</aside>
<main class="main"><div class="vp-doc _guide"><div>
<h1 id="guide" tabindex="-1">Guide <a class="header-anchor" href="#guide" aria-label="Permalink to &quot;Guide&quot;">\u200B</a></h1>
<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>Use it.</p></div>
<h2 id="the-options" tabindex="-1">Options <a class="header-anchor" href="#the-options">\u200B</a></h2>
<div class="vp-code-group"><div class="tabs"><input type="radio" id="t1" checked><label for="t1">npm</label><input type="radio" id="t2"><label for="t2">pnpm</label></div><div class="blocks">
<div class="language-sh vp-adaptive-theme active"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki"><code><span class="line"><span>npm add x</span></span>\n<span class="line"><span>npm test</span></span></code></pre></div>
<div class="language-sh"><button class="copy"></button><span class="lang">sh</span><pre class="shiki"><code><span class="line">pnpm add x</span></code></pre></div></div></div>
<table><thead><tr><th>Option</th><th>Is</th></tr></thead><tbody><tr><td><code>a</code></td><td>b | c</td></tr></tbody></table>
</div></div></main><footer class="VPDocFooter">Next page</footer>`);
  expect(outline(page)).toEqual([
    ['', 'Guide'],
    ['the-options', 'Options'],
  ]);
  expect(page.passages[0]?.text).toBe('TIP\nUse it.');
  expect(page.passages[1]?.code).toBe('npm add x\nnpm test\npnpm add x');
  expect(page.passages[1]?.markdown).toContain('```sh\nnpm add x\nnpm test\n```');
  expect(page.passages[1]?.markdown).toContain('| Option | Is |\n| --- | --- |');
});

test('Material for MkDocs: permalinks, tabbed blocks, line numbers in a table', () => {
  const page =
    read(`<div class="md-sidebar"><nav>Menu</nav></div><main class="md-main"><div class="md-content"><article class="md-content__inner md-typeset">
<a href="https://github.com/x/edit" title="Edit this page" class="md-content__button md-icon"><svg></svg></a>
<h1 id="start">Start<a class="headerlink" href="#start" title="Permanent link">&para;</a></h1>
<h2 id="run-it">Run it<a class="headerlink" href="#run-it" title="Permanent link">&para;</a></h2>
<div class="tabbed-set tabbed-alternate"><input checked type="radio"><input type="radio"><div class="tabbed-labels"><label>Linux</label><label>Windows</label></div><div class="tabbed-content"><div class="tabbed-block"><p>Use bash.</p></div><div class="tabbed-block"><p>Use PowerShell.</p></div></div></div>
<div class="highlight language-python"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal">1</span></pre></div></td><td class="code"><div><pre><span></span><code><span class="kn">import</span> x\n</code></pre></div></td></tr></table></div>
<div class="admonition note"><p class="admonition-title">Note</p><p>Mind.</p></div>
</article></div></main><footer class="md-footer">x</footer>`);
  expect(page.title).toBe('Start');
  expect(outline(page)).toEqual([['run-it', 'Run it']]);
  expect(page.passages.at(-1)?.markdown).toBe(
    '**Linux**\n\nUse bash.\n\n**Windows**\n\nUse PowerShell.\n\n```python\nimport x\n```\n\n**Note**\n\nMind.',
  );
});

test('Sphinx: ids on sections, signatures with anchors of their own', () => {
  const page = read(`<div role="main" class="document"><div itemprop="articleBody">
<section id="client"><h1>Client<a class="headerlink" href="#client" title="Link to this heading">\uf0c1</a></h1><p>About it.</p>
<section id="methods"><h2>Methods<a class="headerlink" href="#methods">¶</a></h2>
<dl class="py method"><dt class="sig sig-object py" id="acme.Client.send"><span class="sig-name">send</span><span>(</span><em>text</em><span>)</span><a class="headerlink" href="#acme.Client.send">¶</a></dt><dd><p>Sends it.</p></dd></dl>
<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>client.send()\n</pre></div></div></section></section></div></div>`);
  expect(outline(page)).toEqual([
    ['', 'Client'],
    ['acme.Client.send', 'send(text)'],
  ]);
  expect(page.passages[1]?.headingPath).toEqual(['Methods']);
  expect(page.passages[1]?.markdown).toContain('```python\nclient.send()\n```');
});

test('Starlight: headings beside their links, asides that are text, Expressive Code', () => {
  const page =
    read(`<header>Top</header><nav class="sidebar">Menu</nav><main><div class="content-panel"><h1 id="_top">Install</h1></div>
<div class="content-panel"><div class="sl-markdown-content">
<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p class="starlight-aside__title" aria-hidden="true"><svg></svg>Old Node</p><div class="starlight-aside__content"><p>Needs Node 20.</p></div></aside>
<div class="sl-heading-wrapper level-h2"><h2 id="steps">Steps</h2><a class="sl-anchor-link" href="#steps"><span aria-hidden="true"><svg></svg></span><span class="sr-only">Section titled “Steps”</span></a></div>
<div class="expressive-code"><figure class="frame has-title"><figcaption class="header"><span class="title">a.js</span></figcaption><pre data-language="js"><code><div class="ec-line"><div class="code"><span>const a = 1;</span></div></div><div class="ec-line"><div class="code"><span>b();</span></div></div></code></pre><div class="copy"><button>Copy</button></div></figure></div>
</div></div></main>`);
  expect(page.title).toBe('Install');
  expect(outline(page)).toEqual([
    ['', 'Install'],
    ['steps', 'Steps'],
  ]);
  expect(page.passages[0]?.text).toBe('Old Node\nNeeds Node 20.');
  expect(page.passages[1]?.markdown).toBe('```js title="a.js"\nconst a = 1;\nb();\n```');
});

describe('in general', () => {
  test('ids: of the heading, of a link in it, of an element before it; never a missing id', () => {
    const page = read(`<main><h1>T</h1>
<h2><a class="header" href="#by-link" id="by-link">By link</a></h2><p>a</p>
<h2>By child <span id="by-child"></span></h2><p>b</p>
<a id="before"></a><h2>Before</h2><p>c</p>
<h2>Not there <a href="#nowhere">#</a></h2><p>d</p></main>`);
    expect(outline(page)).toEqual([
      ['by-link', 'By link'],
      ['by-child', 'By child'],
      ['before', 'Before'],
      ['before', 'Not there'],
    ]);
  });

  test('special characters of text are escaped', () => {
    const page = read(
      '<main><h1>T</h1><p>Use *stars*, _lines_, snake_case, `ticks`, a &lt;b&gt; and [x](y).</p></main>',
    );
    expect(page.passages[0]?.markdown).toBe(
      'Use \\*stars\\*, \\_lines\\_, snake_case, \\`ticks\\`, a \\<b> and \\[x](y).',
    );
    expect(page.passages[0]?.text).toBe(
      'Use *stars*, _lines_, snake_case, `ticks`, a <b> and [x](y).',
    );
  });

  test('nested lists, pictures, line breaks; no hidden elements and scripts', () => {
    const page =
      read(`<main><h1>T</h1><ol start="3"><li>One<ul><li>Inner <b>bold</b></li></ul></li><li><p>Two</p></li></ol>
<p>A<br>B <img src="/x.png" alt="a picture"> <a href="javascript:alert(1)">no</a></p>
<p hidden>secret</p><div aria-hidden="true">icon</div><script>alert(1)</script><style>p{}</style><form><input value="x"></form></main>`);
    expect(page.markdown).toBe(
      '# T\n\n3. One\n   - Inner **bold**\n4. Two\n\nA\nB ![a picture](/x.png) no',
    );
  });

  test('the title of a page without a heading, without the name of the site', () => {
    const facts =
      '<title>Install | Acme Docs</title><meta name="description" content="How to."><meta name="docsearch:version" content="2">';
    expect(read('<main><p>Text.</p></main>', facts)).toMatchObject({
      title: 'Install',
      description: 'How to.',
      version: '2',
      language: 'en',
    });
    expect(
      read(
        '<main><p>Text.</p></main>',
        '<title>Install - Acme</title><meta property="og:site_name" content="Acme">',
      ).title,
    ).toBe('Install');
  });

  test('a page with 20,000 paragraphs, and a deeply nested page', () => {
    expect(
      read(`<main><h1>T</h1>${'<p>text</p>'.repeat(20_000)}</main>`).passages.length,
    ).toBeGreaterThan(50);
    expect(
      read(`<main><h1>T</h1>${'<div>'.repeat(400)}deep${'</div>'.repeat(400)}</main>`).passages[0]
        ?.text,
    ).toBe('deep');
    expect(() => read('<nav>'.repeat(600))).toThrow('nested too deep');
  });
});
