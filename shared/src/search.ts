/** The sibling endpoints of the assistant: search the documentation, read one page of it. */
import { z } from 'zod';
import { optional, SearchFilter } from './assistant.ts';

/** Not shown; long enough for an error message that is pasted whole. */
const queryMaxLength = 2_000;

/** Body of `POST /discovery/v1/search/{domain}`. */
export const SearchRequest = z.object({
  /** Words or a question. */
  query: z.string().trim().min(1).max(queryMaxLength),
  /** How many results are wanted at most; each is one page. */
  pageSize: optional(z.number().int().min(1).max(50)),
  /** Results below this score are left out. */
  scoreThreshold: optional(z.number().min(0).max(1)),
  filter: optional(SearchFilter),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

export const searchPageSizeDefault = 10;

/** What is known of a page beside its text. */
export const PageMetadata = z.object({
  title: z.string(),
  /** Where a reader opens it. */
  url: z.string(),
  /** Absent where the page belongs to all of them. */
  version: z.string().optional(),
  language: z.string().optional(),
});
export type PageMetadata = z.infer<typeof PageMetadata>;

/** One page that was found. */
export const SearchHit = z.object({
  /** Its matching sections as Markdown, the best first. */
  content: z.string(),
  path: z.string(),
  metadata: PageMetadata.extend({
    /** Heading of the best section; `url` ends with its anchor. */
    heading: z.string(),
    /** 0 to 1: how much of the query the best result covers, for the others in proportion to it. */
    score: z.number().min(0).max(1),
  }),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResponse = z.array(SearchHit);

/** Body of `POST /discovery/v1/page/{domain}`. */
export const PageRequest = z.object({
  /** Path of the page in any usual spelling, or its address. */
  path: z.string().trim().min(1).max(2_000),
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
