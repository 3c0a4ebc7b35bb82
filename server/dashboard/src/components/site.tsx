/** The sites of the organization, to filter by or to choose from. */
import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { SitesReply } from '@docent/shared/sites';
import { type ApiError, get } from '../api/client.ts';
import { toApiError } from '../api/load.ts';
import { can, session } from '../session.ts';
import { Empty, Failure } from './empty.tsx';
import { Select, useFilters } from './filters.tsx';
import { Skeleton } from './skeleton.tsx';

/** `undefined` until they are loaded. */
export const sites = signal<SitesReply['sites'] | undefined>(undefined);

let loadedFor: string | undefined;
effect(() => {
  const { organization } = session.value ?? {};
  if (!organization || organization === loadedFor || !can('GET /v1/sites')) return;
  loadedFor = organization;
  sites.value = undefined;
  loadSites();
});

const error = signal<ApiError | undefined>(undefined);

export function loadSites(): void {
  error.value = undefined;
  void get<SitesReply>('/v1/sites').then(
    (reply) => (sites.value = reply.sites),
    (failure: unknown) => (error.value = toApiError(failure)),
  );
}

const storageName = 'docent-dashboard-site';

/**
 * For pages that show one site: the one in the address, the last one that was chosen, or the first one.
 * `undefined` until the sites are loaded.
 */
export function useSite(): string | undefined {
  const { values } = useFilters({ site: localStorage.getItem(storageName) ?? '' });
  const known = sites.value?.map(({ domain }) => domain);
  return known?.includes(values.site) ? values.site : known?.[0];
}

/** Draws a page of one site, once it's known which. */
export function OfSite({ children }: { children: (domain: string) => ComponentChildren }) {
  const domain = useSite();
  if (domain !== undefined) return <>{children(domain)}</>;
  if (!sites.value && error.value) return <Failure error={error.value} reload={loadSites} />;
  if (!sites.value) return <Skeleton lines={6} />;
  return <NoSites />;
}

export const NoSites = () => (
  <Empty icon="sites" title="No sites in this organization">
    Administrators add one with the button above. Or add it to <code>sites</code> of the
    configuration file, and restart Docent.
  </Empty>
);

/** Chooses the site of the page, or filters by `site` if the page can show all. Nothing if there's only one. */
export function SiteSelect({ canBeAll = false }: { canBeAll?: boolean }) {
  const one = useSite();
  const { values, set } = useFilters({ site: '' });
  const all = sites.value ?? [];
  if (all.length < 2) return null;
  const options = all.map(({ domain, name }) => ({ value: domain, label: name }));
  return (
    <Select
      label="Site"
      value={canBeAll ? values.site : (one ?? '')}
      options={canBeAll ? [{ value: '', label: 'All sites' }, ...options] : options}
      onChange={(site) => {
        if (!canBeAll) localStorage.setItem(storageName, site);
        set({ site });
      }}
    />
  );
}
