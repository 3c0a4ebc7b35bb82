/** Theme, menu, copy buttons, and the current section in the table of contents. */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './site.css';

const root = document.documentElement;

setUpTheme();
setUpMenu();
setUpAsk();
setUpCopying();
setUpContents();
void setUpPlayground();
document.querySelector('.sidebar [aria-current]')?.scrollIntoView({ block: 'nearest' });

function setUpTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isDark = root.dataset['theme']
      ? root.dataset['theme'] === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    const theme = isDark ? 'light' : 'dark';
    root.dataset['theme'] = theme;
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // If storage is blocked, the choice applies to this page.
    }
  });
}

function setUpMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('button.menu');
  const sidebar = document.querySelector<HTMLElement>('.sidebar');
  if (!button || !sidebar) return;
  const set = (isOpen: boolean) => {
    button.setAttribute('aria-expanded', String(isOpen));
    root.classList.toggle('menu-open', isOpen);
  };
  button.addEventListener('click', () => {
    const isOpen = button.getAttribute('aria-expanded') !== 'true';
    set(isOpen);
    if (isOpen) sidebar.querySelector<HTMLElement>('[aria-current], a')?.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !root.classList.contains('menu-open')) return;
    set(false);
    button.focus();
  });
  sidebar.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a')) set(false);
  });
}

/** The assistant is this site's search. Without its script, there is no button. */
function setUpAsk(): void {
  const button = document.querySelector<HTMLButtonElement>('button.ask');
  const script = document.querySelector<HTMLScriptElement>('script[data-site][data-key]');
  if (!button || !script) return;
  const keys = button.querySelector('kbd');
  // The widget shows its shortcut only when it's open.
  if (keys) keys.textContent = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘I' : 'Ctrl I';
  const show = () => {
    button.hidden = false;
  };
  if (window.Docent) show();
  else script.addEventListener('load', show);
  button.addEventListener('click', () => window.Docent?.('open'));
}

function setUpCopying(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const code = figure.querySelector('code');
    if (!code) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void copy(code.textContent.replace(/\n$/, '')).then((isDone) => {
        button.textContent = isDone ? 'Copied' : 'Press Ctrl+C';
        setTimeout(() => (button.textContent = 'Copy'), 1600);
      });
    });
    figure.append(button);
  }
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Marks the current section. */
function setUpContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')];
  const headings = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  if (headings.length === 0) return;
  let isWaiting = false;
  const mark = () => {
    isWaiting = false;
    const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 4;
    const passed = headings.filter(({ heading }) => heading.getBoundingClientRect().top < 120);
    const current = isAtEnd ? headings.at(-1) : (passed.at(-1) ?? headings[0]);
    for (const { link } of headings) {
      if (link === current?.link) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener(
    'scroll',
    () => {
      if (!isWaiting) requestAnimationFrame(mark);
      isWaiting = true;
    },
    { passive: true },
  );
  mark();
}

/** Loads the playground only on its page. */
async function setUpPlayground(): Promise<void> {
  const place = document.getElementById('playground');
  if (!place) return;
  const playground = await import('./playground.ts');
  const begin = () => playground.setUpPlayground(place);
  const script = document.querySelector('script[data-site][data-key]');
  if (!script || window.Docent) begin();
  else script.addEventListener('load', begin);
}

declare global {
  interface Window {
    Docent?: (verb: 'open' | 'update', patch?: object) => void;
  }
}
