/** The pages of `docent start`: the assistant over the owner's documentation, before any site has it. */
import '../pages/projects/projects.css';
import './preview.css';
import type { PreviewPage } from '@docent/shared/preview';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Prose } from '../components/foreign.tsx';
import { Logo } from '../components/icons.tsx';

/** The server writes it into the page. */
const { site, page, paths, more } = JSON.parse(
  document.getElementById('preview')?.textContent ?? '',
) as PreviewPage;
const home = `/preview/${site.domain}`;

export default function Preview() {
  const title = page?.title ?? site.name;
  useLayoutEffect(() => void (document.title = `${title} · Docent`), []);
  useEffect(() => {
    for (const type of ['click', 'auxclick']) addEventListener(type, toPreview, { capture: true });
    // What a citation leads to is there only now, and moves once the renderer has come.
    const show = () =>
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    show();
    void import('@docent/widget/markdown').then(() => setTimeout(show));
  }, []);
  return (
    <div class="shared preview">
      <header>
        <Logo />
        <a href={home}>{site.name}</a>
      </header>
      <main class="page">
        <article>
          <h1>{title}</h1>
          {page?.passages.map(({ anchor, heading, isNested, markdown }, index) => {
            const isNew = anchor !== '' && anchor !== page.passages[index - 1]?.anchor;
            const Heading = isNested ? 'h3' : 'h2';
            return (
              <section key={index}>
                {isNew && <Heading id={anchor}>{heading}</Heading>}
                <Prose text={markdown} />
              </section>
            );
          })}
        </article>
        <nav aria-label="Indexed pages">
          <h2>Indexed pages</h2>
          <ul>
            {paths.map((path) => (
              <li key={path}>
                <a
                  href={home + encodeURI(path)}
                  aria-current={path === page?.path ? 'page' : undefined}
                >
                  {path}
                </a>
              </li>
            ))}
          </ul>
          {more > 0 && <p>And {more} more.</p>}
        </nav>
      </main>
    </div>
  );
}

/** Links of answers to the site lead to the same page here. */
function toPreview(event: Event): void {
  const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement);
  const published = site.baseUrl ?? location.origin;
  if (!link?.href.startsWith(`${published}/`) || link.pathname.startsWith(home)) return;
  const address = link.href.slice(published.length);
  // docsify has the path behind a `#`, and the heading in a parameter.
  const [path = '', anchor] = address.startsWith('/#/')
    ? address.slice(2).split('?id=')
    : address.split('#');
  // Links to another site open a new tab.
  link.removeAttribute('target');
  link.href = home + path.replace(/\.html$/, '') + (anchor ? `#${anchor}` : '');
}
