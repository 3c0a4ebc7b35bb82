/**
 * All errors of the API: the code, its HTTP status, whether the same request can succeed later, and
 * what the caller can do. The error page of the documentation is generated from this table. The
 * specification doesn't show error bodies, so we chose one flat format.
 */
export const errorTable = {
  bad_request: {
    status: 400,
    retryable: false,
    remedy: 'Correct the request. `details` names each wrong field.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    remedy:
      'Send a valid key as `Authorization: Bearer <key>`. Create one on the API keys page of the dashboard, or with `docent keys create`.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    remedy: 'Use the right type of key for this endpoint, from an origin that the site allows.',
  },
  not_found: {
    status: 404,
    retryable: false,
    remedy: 'Check the path, the domain, and the ID. A key can only access its own organization.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    retryable: true,
    remedy: 'Send the whole request within a minute for its headers, and five for its body.',
  },
  conflict: {
    status: 409,
    retryable: false,
    remedy: 'Get the current state of the resource, and send a request that matches it.',
  },
  too_large: {
    status: 413,
    retryable: false,
    remedy: 'Send a smaller body: fewer messages or smaller attachments.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    remedy: 'Send the body as `Content-Type: application/json` in UTF-8.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    remedy: 'Wait for the number of seconds in `Retry-After`, and send the request again.',
  },
  budget_exceeded: {
    status: 429,
    retryable: true,
    remedy: 'Raise the budget in the configuration, or wait until its period ends.',
  },
  internal: {
    status: 500,
    retryable: true,
    remedy:
      'Try again. If the error continues, send the `requestId` to the operator of the service.',
  },
  upstream_failed: {
    status: 502,
    retryable: true,
    remedy: 'The language model failed. Try again in a moment.',
  },
  model_refused: {
    status: 502,
    retryable: false,
    remedy:
      'The provider of the language model refuses every request, for example because the key is wrong or the credit is used up. To see what it says, read the log, or run `docent doctor --model`.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    remedy:
      'The service is starting or stopping, or a component is unavailable. Try again in a moment.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; remedy: string }>;

export type ErrorCode = keyof typeof errorTable;

/** A problem with one field of a request. */
export interface ErrorDetail {
  /** The location in the body: `messages.0.role`. */
  path: string;
  message: string;
}

/** The body of every unsuccessful response. */
export interface ErrorBody {
  /** One sentence for people. Chat SDKs show the whole body as `error.message`. */
  error: string;
  code: ErrorCode;
  requestId: string;
  /** Seconds to wait, as in the `Retry-After` header. Only with status 429 and 503. */
  retryAfter?: number;
  details?: ErrorDetail[];
}
