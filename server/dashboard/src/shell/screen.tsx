import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Logo } from '../components/icons.tsx';

interface ScreenProps {
  title: string;
  description?: ComponentChildren;
  children: ComponentChildren;
}

/** A page without the sidebar, for people who aren't signed in yet. */
export function Screen({ title, description, children }: ScreenProps) {
  useLayoutEffect(
    () => void (document.title = title === 'Docent' ? title : `${title} · Docent`),
    [],
  );
  return (
    <main class="screen">
      <div>
        <Logo />
        <h1>{title}</h1>
        {description && <p class="quiet">{description}</p>}
        {children}
      </div>
    </main>
  );
}
