import type { GitHubAccess } from './access.ts';

interface Endpoint {
  headers: Record<string, string | number | undefined>;
}

interface Request {
  (endpoint: Endpoint): Promise<unknown>;
  endpoint: { merge(route: unknown, parameters: unknown): Endpoint };
}

/**
 * Octokit's way to be told the token of each request, at each of its tries: one that was renewed while a
 * request waited is the one that is sent.
 */
export function createTokenStrategy({ access }: { access: GitHubAccess }) {
  async function hook(request: Request, route: unknown, parameters?: unknown): Promise<unknown> {
    const endpoint = request.endpoint.merge(route, parameters);
    const send = async (wasRefused: boolean) => {
      endpoint.headers['authorization'] = `Bearer ${await access.token({ wasRefused })}`;
      return request(endpoint);
    };
    try {
      return await send(false);
    } catch (error) {
      const wasRefused = error instanceof Error && 'status' in error && error.status === 401;
      if (!wasRefused || !access.canRenew) throw error;
      return send(true);
    }
  }
  return Object.assign(() => Promise.resolve({ type: 'token' }), { hook });
}
