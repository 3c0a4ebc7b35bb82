/** What the owner can do something about: the most frequent gaps, and the newest open feedback. */
import type { FeedbackEntry, GapsResponse } from '@docent/shared/analytics';
import type { ComponentChildren } from 'preact';
import { get, toSearch } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Load } from '../../components/empty.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Section } from '../../components/page.tsx';
import { sites } from '../../components/site.tsx';
import { Time } from '../../components/time.tsx';
import { viewOf } from '../gaps/state.tsx';
import { ofSite, reasonWords, withSite } from '../../components/readers.tsx';

/** How many of each. */
const most = 5;

interface Item {
  href: string;
  title: string;
  end: ComponentChildren;
}

export function Attention({ site, from }: { site: string; from: string }) {
  const domains = sites.value?.map(({ domain }) => domain) ?? [];
  const chosen = site === '' ? domains : domains.filter((domain) => domain === site);
  const gapsOf = async (domain: string, signal: AbortSignal) => {
    const path = ofSite('/v1/analytics', domain, '/unanswered');
    const { gaps } = await get<GapsResponse>(path, { dateFrom: from }, signal);
    return gaps
      .filter((gap) => viewOf(gap) === 'open')
      .map((gap) => ({
        order: gap.count,
        href: withSite(`/gaps/${gap.id}`, domain),
        title: gap.question,
        end: `${formatNumber(gap.count)}×`,
      }));
  };
  const feedbackOf = async (domain: string, signal: AbortSignal) => {
    const path = ofSite('/v1/analytics', domain, '/feedback');
    const query = { state: 'open', dateFrom: '2000-01-01', limit: most };
    const { feedback } = await get<{ feedback: FeedbackEntry[] }>(path, query, signal);
    return feedback.map(({ id, comment, reasons, question, path: page, createdAt }) => ({
      order: Date.parse(createdAt),
      href: withSite(`/feedback/${id}`, domain),
      title: comment ?? (reasons.map(reasonWords).join(', ') || question || page || ''),
      end: <Time at={createdAt} />,
    }));
  };
  return (
    <div class="columns">
      <Items
        title="Questions without an answer"
        href={`/gaps${toSearch({ site })}`}
        none="Every question of this period has an answer."
        domains={chosen}
        load={gapsOf}
        name={`gaps?${from}`}
      />
      <Items
        title="Open feedback"
        href={`/feedback${toSearch({ site })}`}
        none="There’s no open feedback."
        domains={chosen}
        load={feedbackOf}
        name="feedback?"
      />
    </div>
  );
}

interface ItemsProps {
  title: string;
  href: string;
  none: string;
  domains: readonly string[];
  load: (domain: string, signal: AbortSignal) => Promise<(Item & { order: number })[]>;
  name: string;
}

function Items({ title, href, none, domains, load, name }: ItemsProps) {
  const items = useLoad(`${name}${domains.join(' ')}`, async (signal) =>
    (await Promise.all(domains.map((domain) => load(domain, signal))))
      .flat()
      .toSorted((a, b) => b.order - a.order)
      .slice(0, most),
  );
  return (
    <Section title={title} actions={<a href={to(href)}>See all</a>}>
      <Load from={items} lines={most}>
        {(found) =>
          found.length === 0 ? (
            <p class="quiet">{none}</p>
          ) : (
            <ul class="list items">
              {found.map((item) => (
                <li key={item.href}>
                  <a href={to(item.href)}>{item.title}</a>
                  <span class="quiet number">{item.end}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Load>
    </Section>
  );
}
