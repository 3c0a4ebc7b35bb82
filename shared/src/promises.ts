/**
 * Limits that the service promises. Without zod, so that the widget can import it.
 * Source: the service document, "Limits", unless a comment says otherwise.
 */
export const promises = {
  /** In characters. */
  currentPathMaxLength: 200,
  /** Pages that an answer uses by default. */
  retrievalPageSizeDefault: 5,
  /** Not in the service document. The public search endpoint of this kind allows 1 to 50. */
  retrievalPageSizeMax: 50,
  usesPerKeyAndMonth: 10_000,
  requestsPerOrganizationAndHour: 10_000,
  requestsPerAddressAndDay: 10_000,
  /** Not in the service document. Enough for a long conversation with a few pasted images as data URLs. */
  bodyMaxBytes: 1_048_576,
  /** Not in the service document. Proxies commonly close idle connections after 30 s. */
  heartbeatMs: 15_000,
} as const;
