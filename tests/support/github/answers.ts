/** What a route answers with; GitHub's words, as clients look for them. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Asked {
  method: string;
  /** Below the root of the API. */
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

/** Ends a request with one of GitHub's refusals. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.answer = {
      status,
      body: { message, documentation_url: 'https://docs.github.com/rest', ...more },
    };
  }
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const notFound = () => new Refusal(404, 'Not Found');

/** 422 as GitHub says it about one field. */
export function invalid(resource: string, error: Record<string, unknown>): Refusal {
  return new Refusal(422, 'Validation Failed', { errors: [{ resource, ...error }] });
}

export function text(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string') return value;
  throw new Refusal(422, `Invalid request.\n\n"${field}" wasn't supplied.`);
}
