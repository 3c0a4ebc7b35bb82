/**
 * Every error that Docent answers with: the machine word, its HTTP status, whether the same request
 * may succeed later, and what the caller can do. The error page of the documentation is made from
 * this table. Spec: error bodies are "not shown"; we chose one flat shape.
 */
export const errorTable = {
  bad_request: {
    status: 400,
    retryable: false,
    remedy: 'Correct the request; `details` names each field that is wrong.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    remedy:
      'Send a valid key as `Authorization: Bearer <key>`. Create one with `docent keys create`.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    remedy: 'Use the kind of key that this endpoint takes, from an origin that the site allows.',
  },
  not_found: {
    status: 404,
    retryable: false,
    remedy: 'Check the path, the domain and the id; a key sees only its own organization.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  conflict: {
    status: 409,
    retryable: false,
    remedy: 'Read the current state of the thing and send a request that fits it.',
  },
  too_large: {
    status: 413,
    retryable: false,
    remedy: 'Send a smaller body: fewer messages or smaller attachments.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    remedy: 'Send the body as `Content-Type: application/json`, UTF-8.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    remedy: 'Wait as many seconds as `Retry-After` says, then send the request again.',
  },
  budget_exceeded: {
    status: 429,
    retryable: true,
    remedy: 'Raise the budget in the configuration, or wait until its period ends.',
  },
  internal: {
    status: 500,
    retryable: true,
    remedy: 'Try again; if it goes on, give the `requestId` to whoever runs the service.',
  },
  upstream_failed: {
    status: 502,
    retryable: true,
    remedy: 'The language model did not answer properly. Try again in a moment.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    remedy: 'The service is starting, stopping or missing a part. Try again in a moment.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; remedy: string }>;

export type ErrorCode = keyof typeof errorTable;

/** What is wrong with one field of a request. */
export interface ErrorDetail {
  /** Where in the body, with dots: `messages.0.role`. */
  path: string;
  message: string;
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** One human sentence. Chat SDKs show the whole body as `error.message`, so it must help. */
  error: string;
  code: ErrorCode;
  requestId: string;
  /** Seconds to wait, also in the `Retry-After` header; only with status 429 and 503. */
  retryAfter?: number;
  details?: ErrorDetail[];
}
