/** Endpoints to search the documentation and to read a page. */
import { z } from 'zod';
import { optional, SearchFilter, words } from './assistant.ts';

/** Not in the specification. Enough for a pasted error message. */
const queryMaxLength = 2_000;

/** Body of `POST /discovery/v1/search/{domain}`. */
export const SearchRequest = z.object({
  /** Words or a question. */
  query: words(queryMaxLength),
  /** The maximum number of results. Each result is a page. */
  pageSize: optional(z.number().int().min(1).max(50)),
  /** Omits results with a lower score. */
  scoreThreshold: optional(z.number().min(0).max(1)),
  filter: optional(SearchFilter),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

export const searchPageSizeDefault = 10;

/** Information about a page. */
export const PageMetadata = z.object({
  title: z.string(),
  /** The address for readers. */
  url: z.string(),
  /** Absent if the page applies to all versions. */
  version: z.string().optional(),
  language: z.string().optional(),
});
export type PageMetadata = z.infer<typeof PageMetadata>;

/** A search result: one page. */
export const SearchHit = z.object({
  /** The matching sections as Markdown, best first. */
  content: z.string(),
  path: z.string(),
  metadata: PageMetadata.extend({
    /** The heading of the best section. `url` ends with its anchor. */
    heading: z.string(),
    /** From 0 to 1: how much of the query the first result covers. The others are relative to it. */
    score: z.number().min(0).max(1),
  }),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResponse = z.array(SearchHit);

/** Body of `POST /discovery/v1/page/{domain}`. */
export const PageRequest = z.object({
  /** The path in any common spelling, or the address. */
  path: words(2_000),
  filter: optional(SearchFilter),
});
export type PageRequest = z.infer<typeof PageRequest>;

export const PageResponse = z.object({
  path: z.string(),
  /** The whole page as Markdown. */
  content: z.string(),
  metadata: PageMetadata,
});
export type PageResponse = z.infer<typeof PageResponse>;
