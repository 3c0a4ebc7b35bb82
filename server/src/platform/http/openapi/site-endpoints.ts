/** Endpoints about sites, the configuration, and the state of the service. */
import {
  FindingsReply,
  ModelCheckRequest,
  ServiceHealthReply,
  SettingsReply,
  SiteReply,
  SiteSettingsReply,
  SiteSettingsRequest,
  SitesReply,
  TagReply,
} from '@docent/shared/sites';
import { type Endpoint, json } from './endpoint.ts';

const ofSite = ['not_found', 'rate_limited'] as const;
const withBody = ['bad_request', 'unsupported_media_type', 'too_large'] as const;
const tag = 'Operations';

export const siteEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/v1/sites',
    id: 'listSites',
    tag,
    summary: 'Sites with their pages and their last run',
    replies: [json(SitesReply, 'The sites, in the order of the configuration.')],
    errors: ['rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/sites/{domain}',
    id: 'describeSite',
    tag,
    summary: 'One site with its sources',
    replies: [json(SiteReply, 'The site.')],
    errors: ofSite,
  },
  {
    method: 'post',
    path: '/v1/sites/{domain}/tag',
    id: 'getScriptTag',
    tag,
    summary: 'The script tag’s address and key, which is made if there is none, and where it goes',
    replies: [json(TagReply, 'What the tag needs.')],
    errors: ofSite,
  },
  {
    method: 'post',
    path: '/v1/sites/{domain}/check',
    id: 'checkSite',
    tag,
    summary: 'Check a site: its sources, its tag, and its links',
    replies: [json(FindingsReply, 'What works, and what does not.')],
    errors: ofSite,
  },
  {
    method: 'get',
    path: '/v1/sites/{domain}/settings',
    id: 'getSiteSettings',
    tag,
    summary: 'What may change while the service runs, and where it comes from',
    replies: [json(SiteSettingsReply, 'The settings.')],
    errors: ofSite,
  },
  {
    method: 'patch',
    path: '/v1/sites/{domain}/settings',
    id: 'changeSiteSettings',
    tag,
    summary: 'Change settings of a site while the service runs',
    body: SiteSettingsRequest,
    replies: [json(SiteSettingsReply, 'The settings.')],
    errors: [...ofSite, ...withBody, 'conflict'],
  },
  {
    method: 'get',
    path: '/v1/settings',
    id: 'getSettings',
    tag,
    summary: 'The effective configuration, and where each value comes from',
    replies: [json(SettingsReply, 'The configuration, without secrets.')],
    errors: ['rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/health',
    id: 'getServiceHealth',
    tag,
    summary: 'The state of the service',
    replies: [json(ServiceHealthReply, 'The state.')],
    errors: ['rate_limited'],
  },
  {
    method: 'post',
    path: '/v1/health/model',
    id: 'checkModel',
    tag,
    summary: 'Ask a model for one word, which may cost a little',
    body: ModelCheckRequest,
    replies: [json(FindingsReply, 'Whether it answered.')],
    errors: [...withBody, 'not_found', 'rate_limited'],
  },
];
