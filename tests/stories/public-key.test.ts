/** An assistant key stands in a page for everyone to read: what it opens, and from where. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '@docent/server/permissions';
import { toBody } from '../support/ask.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle?: { stack?: Layer[] };
}

/** Every path and method of the running service. */
function routesOf(stack: Layer[]): { path: string; method: string }[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return routesOf(handle?.stack ?? []);
    const methods = Object.keys(route.methods).filter((method) => method !== '_all');
    return [route.path]
      .flat()
      .flatMap((path) => methods.map((method) => ({ path, method: method.toUpperCase() })));
  });
}

let docent: TestDocent;
beforeAll(async () => {
  docent = await startDocent();
});
afterAll(() => docent[Symbol.asyncDispose]());

const send = (path: string, method: string, headers: Record<string, string> = {}) =>
  fetch(docent.url + path, {
    method,
    headers: {
      authorization: `Bearer ${docent.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(method === 'POST' && { body: '{}' }),
  });

/** What a reader's key may open; the rest of the service's paths it may not. */
const forReaders =
  /^\/(discovery\/v[12]\/(assistant|search|page|site|challenge|feedback|thread|hand-over)\/|mcp\/|v1\/(chat\/completions|models))/;
const forAnyone =
  /^\/(|healthz|readyz|openapi\.json|metrics|v1\/shared(\/events)?|v1\/hooks\/:hook|(dashboard|projects)(\/.*)?)$/;
/** Signing in, which takes no key, and what is about the person who is signed in. */
const forPeople = ({ path, method }: { path: string; method: string }) => {
  const permission = permissions[`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`];
  return permission === undefined
    ? /^\/v1\/(session|setup|invitation)(\/|$)/.test(path)
    : permission.scope === undefined;
};

test('it opens the assistant’s endpoints and nothing else', async () => {
  const { stack } = (docent.docent.app as unknown as { router: { stack: Layer[] } }).router;
  const owners = routesOf(stack).filter(
    (route) => !forReaders.test(route.path) && !forAnyone.test(route.path) && !forPeople(route),
  );
  expect(owners.length).toBeGreaterThan(3);
  for (const { path, method } of owners) {
    const at = path.replaceAll(':domain', 'kestrel-docs').replaceAll(/:\w+/g, 'x');
    const response = await send(at, method);
    expect([method, path, response.status]).toEqual([method, path, 403]);
    expect(await response.json()).toMatchObject({ code: 'forbidden' });
  }
});

describe('of other sites it learns nothing', () => {
  test.each(['kestrel-blog', 'osprey-docs', 'nowhere'])('%s', async (domain) => {
    const { status, json } = await docent.ask('Hello?', { domain });
    expect([status, json['code'], json['error']]).toEqual([
      404,
      'not_found',
      'There is no site with this domain for your key.',
    ]);
  });

  test.each([
    ['a page of a foreign origin', 'https://evil.example'],
    ['a page of another site’s origin', 'https://docs.kestrel.example'],
  ])(
    '%s gets the same answer for a site that exists and one that does not',
    async (_name, origin) => {
      const shown = await Promise.all(
        ['osprey-other', 'nowhere'].map(async (domain) => {
          const response = await docent.post(toBody('Hello?'), { domain, headers: { origin } });
          const { requestId: _id, ...body } = (await response.json()) as Record<string, unknown>;
          return [response.status, response.headers.get('access-control-allow-origin'), body];
        }),
      );
      expect(shown[0]).toEqual(shown[1]);
      expect(shown[0]?.[0]).toBe(403);
    },
  );

  test('also where that site has a list of its own', async () => {
    const headers = { origin: 'https://evil.example' };
    const statuses = await Promise.all(
      ['kestrel-docs', 'nowhere'].map(
        async (domain) => (await docent.post(toBody('Hello?'), { domain, headers })).status,
      ),
    );
    expect(statuses).toEqual([403, 403]);
  });
});

test.each([
  ['https://docs.kestrel.example', 200],
  ['HTTPS://DOCS.KESTREL.EXAMPLE', 200],
  ['https://a.preview.kestrel.example', 200],
  ['https://a.b.preview.kestrel.example', 200],
  ['https://preview.kestrel.example', 403],
  ['https://docs.kestrel.example.evil.example', 403],
  ['https://evil-docs.kestrel.example', 403],
  ['http://docs.kestrel.example', 403],
  ['https://docs.kestrel.example:8443', 403],
  ['https://evil.example/.preview.kestrel.example', 403],
  ['null', 403],
])('a page of %s: %i', async (origin, status) => {
  const response = await docent.post(toBody('How do I install Kestrel?'), { headers: { origin } });
  await response.text();
  expect(response.status).toBe(status);
});
