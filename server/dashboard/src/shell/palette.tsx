/** ⌘K: goes to pages and runs actions. A page adds its own with `usePalette`. */
import { signal, useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { toSearch } from '../api/client.ts';
import { to } from '../base.ts';
import { Icon, type IconName } from '../components/icons.tsx';
import { sites } from '../components/site.tsx';
import { type PageEntry, pathOf } from '../pages.ts';
import { can } from '../session.ts';
import { theme } from '../theme.ts';
import { signOut } from './account-menu.tsx';

export const paletteIsOpen = signal(false);

export interface PaletteEntry {
  title: string;
  icon: IconName;
  /** Where it belongs: "API keys". */
  hint?: string;
  /** A path of the dashboard, or what to do. */
  go: string | (() => void);
}

const ofPages = signal<readonly (readonly PaletteEntry[])[]>([]);

/** Adds entries while the calling component is there. Keep the array between renders. */
export function usePalette(entries: readonly PaletteEntry[]): void {
  useEffect(() => {
    ofPages.value = [...ofPages.peek(), entries];
    return () => void (ofPages.value = ofPages.peek().filter((one) => one !== entries));
  }, [entries]);
}

const themes = ['light', 'dark', 'system'] as const;

const own: readonly PaletteEntry[] = [
  ...themes.map((name) => ({
    title: name === 'system' ? 'Use the theme of the system' : `Use the ${name} theme`,
    icon: 'sun' as const,
    hint: 'Theme',
    go: () => void (theme.value = name),
  })),
  { title: 'Sign out', icon: 'exit', hint: 'Account', go: signOut },
];

export function Palette({ pages }: { pages: readonly PageEntry[] }) {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal('');
  const active = useSignal(0);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const all: PaletteEntry[] = [
    ...ofPages.value.flat(),
    ...pages.map((page) => ({
      title: page.title,
      icon: page.icon,
      hint: page.group ?? '',
      go: pathOf(page),
    })),
    ...(can('GET /v1/sites') ? (sites.value ?? []) : []).map(({ domain, name }) => ({
      title: name,
      icon: 'sites' as const,
      hint: 'Site',
      go: `/sites/${encodeURIComponent(domain)}`,
    })),
    ...own,
  ];
  const known = all.filter((entry) => matches(entry, typed.value));
  const found = known.length > 0 ? known : searchesFor(typed.value);
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active.value}`)?.scrollIntoView({ block: 'nearest' });
  }, [active.value]);

  const close = () => void (paletteIsOpen.value = false);
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    close();
    if (typeof entry.go === 'string') route(to(entry.go));
    else entry.go();
  };
  const move = (by: number) => {
    active.value = (active.value + by + found.length) % Math.max(found.length, 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) move(step);
    else if (event.key === 'Enter' && !event.isComposing) run(found[active.value]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="search-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search pages and actions"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${active.value}` : undefined}
          placeholder="Go to a page, or do something"
          autoComplete="off"
          spellcheck={false}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            active.value = 0;
          }}
        />
      </div>
      <ul role="listbox" id={`${id}-list`} aria-label="Results">
        {found.map((entry, index) => (
          <li
            key={`${entry.hint} ${entry.title}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active.value}
            onPointerMove={() => (active.value = index)}
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            {entry.title}
            {entry.hint && <span class="quiet">{entry.hint}</span>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No results for “{typed.value}”.</p>}
    </dialog>
  );
}

/** What is no page or action may be what readers asked. */
const searchesFor = (text: string): PaletteEntry[] =>
  can('GET /v1/analytics/{domain}/assistant')
    ? [
        {
          title: `Search conversations for “${text}”`,
          icon: 'search',
          go: `/conversations${toSearch({ text: text.trim(), range: 'all' })}`,
        },
      ]
    : [];

/** Each word that was typed starts a word of the entry. */
function matches({ title, hint = '' }: PaletteEntry, typed: string): boolean {
  const words = `${title} ${hint}`.toLowerCase().split(/\s+/);
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.every((start) => words.some((word) => word.startsWith(start)));
}
