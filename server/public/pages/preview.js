/* Pages of `docent start`: links of answers to the site lead to the same page here. */
'use strict';
(() => {
  const { home, base } = document.currentScript.dataset;
  const site = base || location.origin;
  const toPreview = (event) => {
    const link = event.composedPath().find((element) => element.localName === 'a');
    if (!link || !link.href.startsWith(`${site}/`) || link.pathname.startsWith(home)) return;
    const address = link.href.slice(site.length);
    // docsify has the path behind a `#`, and the heading in a parameter.
    const [path, anchor] = address.startsWith('/#/')
      ? address.slice(2).split('?id=')
      : address.split('#');
    // Links to another site open a new tab.
    link.removeAttribute('target');
    link.href = home + path.replace(/\.html$/, '') + (anchor ? `#${anchor}` : '');
  };
  for (const type of ['click', 'auxclick']) addEventListener(type, toPreview, { capture: true });
})();
