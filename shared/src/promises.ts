/**
 * Limits that the service promises. Without zod, so that the widget can import it.
 * Source: the service document, "Limits", unless a comment says otherwise.
 */
export const promises = {
  /** In characters. */
  currentPathMaxLength: 200,
  /** Search results, which are sections of pages, that an answer uses by default. */
  retrievalPageSizeDefault: 5,
  /** Not in the service document. The public search endpoint of this kind allows 1 to 50. */
  retrievalPageSizeMax: 50,
  /** Not in the service document. Longer text belongs in `context`. */
  questionMaxCharacters: 8_000,
  /** Not in the service document. Of a longer conversation, the model gets the newest part. */
  historyMaxTurns: 10,
  historyMaxCharacters: 20_000,
  /** Not in the service document. A request with more context is refused. */
  contextMaxItems: 20,
  contextMaxCharacters: 40_000,
  /** Not in the service document. What the limits above add up to, with the passages and our instructions. */
  promptMaxCharacters: 150_000,
  usesPerKeyAndMonth: 10_000,
  requestsPerOrganizationAndHour: 10_000,
  requestsPerAddressAndDay: 10_000,
  /** Not in the service document. Enough for a long conversation with a few pasted images as data URLs. */
  bodyMaxBytes: 1_048_576,
  /** Not in the service document. Proxies commonly close idle connections after 30 s. */
  heartbeatMs: 15_000,
} as const;

/**
 * Of the endpoints of version 1. Not in the service document, which only says that they are deprecated.
 * The sunset is the earliest day on which they may go.
 */
export const deprecation = {
  since: '2026-11-23T00:00:00Z',
  sunset: '2028-01-01T00:00:00Z',
} as const;
