/** The sidebar, the bar above a page, and the page. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { ErrorBoundary, lazy, Route, Router, useLocation } from 'preact-iso';
import { base, to } from '../base.ts';
import { Button } from '../components/button.tsx';
import { ConfirmHost } from '../components/confirm.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon, Logo } from '../components/icons.tsx';
import { Page } from '../components/page.tsx';
import { groups, type PageEntry, pages, pathOf } from '../pages.ts';
import { can } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import { Palette, paletteIsOpen } from './palette.tsx';

const components = new Map(
  pages.map(({ path, load }) => [
    path,
    lazy(() => load().then(({ default: Content }) => guarded(Content), toFailedPage)),
  ]),
);

// The first page's file comes while the service is asked who is signed in.
const first = pages.find((page) => isAt(page, location.pathname.replace(/\/$/, '')));
if (first) void components.get(first.path)?.preload();

/** Whether a path is a page, or a part of it. */
function isAt(page: PageEntry, path: string): boolean {
  const href = to(pathOf(page));
  return path === href || (href !== base && path.startsWith(`${href}/`));
}

/** A page that fails leaves the rest of the dashboard usable. */
function guarded(Content: ComponentType): ComponentType {
  return function Guarded() {
    const { path } = useLocation();
    const [failedAt, setFailedAt] = useState<string>();
    useErrorBoundary((error) => {
      console.error(error);
      setFailedAt(path);
    });
    return failedAt === path ? <FailedPage /> : <Content />;
  };
}

function toFailedPage(error: unknown): ComponentType {
  console.error(error);
  return FailedPage;
}

/** The pages that this person may see. */
export const visiblePages = (): PageEntry[] =>
  pages.filter(({ permission }) => permission === undefined || can(permission));

export function Shell({ isHidden }: { isHidden: boolean }) {
  const isMenuOpen = useSignal(false);
  const { path } = useLocation();
  const visible = visiblePages();
  useEffect(() => void (isMenuOpen.value = false), [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      paletteIsOpen.value = !paletteIsOpen.value;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class={isMenuOpen.value ? 'shell menu-open' : 'shell'} hidden={isHidden}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <button
          type="button"
          class="icon-button"
          aria-label="Menu"
          aria-expanded={isMenuOpen.value}
          aria-controls="sidebar"
          onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
        >
          <Icon name={isMenuOpen.value ? 'close' : 'menu'} />
        </button>
        <a class="brand" href={to('/')}>
          <Logo />
          Docent
        </a>
        <SearchButton />
      </header>
      <header class="sidebar" id="sidebar">
        <a class="brand" href={to('/')}>
          <Logo />
          Docent
        </a>
        <SearchButton />
        <nav aria-label="Pages">
          {groups.map((group) => {
            const members = visible.filter((page) => page.group === group);
            return members.length === 0 ? null : (
              <div key={group} class="group">
                {group !== '' && <h2>{group}</h2>}
                {members.map((page) => (
                  <NavLink key={page.path} page={page} path={path} />
                ))}
              </div>
            );
          })}
        </nav>
        <AccountMenu />
      </header>
      <main id="main" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            {visible.map((page) => (
              <Route
                key={page.path}
                path={base + page.path}
                component={components.get(page.path) ?? NoPage}
              />
            ))}
            <Route default component={NoPage} />
          </Router>
        </ErrorBoundary>
      </main>
      <ConfirmHost />
      {paletteIsOpen.value && !isHidden && <Palette pages={visible} />}
    </div>
  );
}

function NavLink({ page, path }: { page: PageEntry; path: string }) {
  return (
    <a
      href={to(pathOf(page))}
      aria-current={isAt(page, path) ? 'page' : undefined}
      // The page's file comes while the pointer is still on its way.
      onPointerEnter={() =>
        void components
          .get(page.path)
          ?.preload()
          .catch(() => {})
      }
    >
      <Icon name={page.icon} />
      {page.title}
    </a>
  );
}

const SearchButton = () => (
  <button type="button" class="search-button" onClick={() => (paletteIsOpen.value = true)}>
    <Icon name="search" />
    <span>Search</span>
    <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
  </button>
);

const FailedPage = () => (
  <Page title="This page failed">
    <Empty
      icon="alert"
      title="Something went wrong on this page"
      actions={<Button onClick={() => location.reload()}>Reload the page</Button>}
    >
      If it fails again, report it. For details, see the browser’s console.
    </Empty>
  </Page>
);

const NoPage = () => (
  <Page title="Page not found">
    <Empty
      icon="search"
      title="There’s nothing at this address"
      actions={
        <a class="button" href={to('/')}>
          Go to the overview
        </a>
      }
    >
      It may have moved, or your role may not include it.
    </Empty>
  </Page>
);
