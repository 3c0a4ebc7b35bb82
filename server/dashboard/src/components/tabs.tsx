import { useLocation } from 'preact-iso';
import { to } from '../base.ts';

interface TabsProps {
  label: string;
  tabs: readonly { href: string; title: string; count?: number }[];
}

/** Views of a page, each with an address of its own. */
export function Tabs({ label, tabs }: TabsProps) {
  const { path } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, title, count }) => (
        <a key={href} href={to(href)} aria-current={path === to(href) ? 'page' : undefined}>
          {title}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
