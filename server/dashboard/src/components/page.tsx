/** The frame of a page: its title, what it's for, and its main actions. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../base.ts';
import { Icon } from './icons.tsx';

export interface PageProps {
  title: string;
  description?: ComponentChildren;
  /** Buttons. The main one is last. */
  actions?: ComponentChildren;
  /** The list that this page belongs to: `{ href: '/jobs', title: 'Jobs' }`. */
  parent?: { href: string; title: string };
  children?: ComponentChildren;
}

/** The first page doesn't take the focus: a reader of the screen starts at the top. */
let isFirst = true;

export function Page({ title, description, actions, parent, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = useLocation();
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, [path]);
  useLayoutEffect(() => void (document.title = `${title} · Docent`), [title]);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          {parent && (
            <a class="page-parent" href={to(parent.href)}>
              <Icon name="right" />
              {parent.title}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description && <p>{description}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({ title, description, actions, children }: Omit<PageProps, 'parent'>) {
  return (
    <section class="section">
      <header class="page-head">
        <div class="page-title">
          <h2>{title}</h2>
          {description && <p>{description}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
