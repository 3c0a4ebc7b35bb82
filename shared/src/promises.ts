/**
 * Plain numbers that the service promises. No zod here, so that the widget may import it.
 * Source: the service document, "Limits", unless a line says otherwise.
 */
export const promises = {
  /** Longest `currentPath`, in characters. */
  currentPathMaxLength: 200,
  /** Pages of documentation used for an answer when the caller does not say. */
  retrievalPageSizeDefault: 5,
  /** Not shown in the service document; the public search endpoint of this shape allows 1 to 50. */
  retrievalPageSizeMax: 50,
  usesPerKeyAndMonth: 10_000,
  requestsPerOrganizationAndHour: 10_000,
  requestsPerAddressAndDay: 10_000,
  /** Not shown; room for a long conversation with a few pasted pictures as data: URLs. */
  bodyMaxBytes: 1_048_576,
  /** Not shown; keeps a quiet stream alive through proxies, whose shortest common idle limit is 30 s. */
  heartbeatMs: 15_000,
} as const;
