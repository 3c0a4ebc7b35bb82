/** What may be asked of the network, attack by attack, against a server that really listens here. */
import type { LookupAddress, lookup as systemLookup } from 'node:dns';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestSite, type TestSite } from '../../../testing/test-site.ts';
import { createWebClient, type WebOptions } from './web-client.ts';

const limits = { timeoutMs: 2_000, retry: { attempts: 3, baseMs: 1, capMs: 50 } };
let site: TestSite;
beforeAll(async () => {
  site = await startTestSite({ '/': 'secret of this machine' });
});
afterAll(() => site[Symbol.asyncDispose]());

/** A resolver that gives these addresses, one list for each time it is asked. */
function resolver(...answers: string[][]) {
  let asked = 0;
  const lookup = ((_host: string, _options: object, done: (...args: unknown[]) => void) => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    done(
      null,
      found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof systemLookup;
  return { lookup, asked: () => asked };
}

async function get(url: string, options: WebOptions = {}, start = url) {
  const client = createWebClient({ limits, ...options });
  try {
    if (URL.canParse(start)) client.addStart(new URL(start));
    return await client.get(new URL(url));
  } finally {
    client.close();
  }
}

describe('private addresses', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST.:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[100::1]/',
    'http://[::7f00:1]:PORT/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/latest/meta-data/',
    'http://168.63.129.16/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/latest/meta-data/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('%s', async (address) => {
    const url = address.replace('PORT', String(site.port));
    await expect(get(url)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('not on the public Internet'),
    });
    expect(site.requests).toEqual([]);
  });

  test.each([
    ['a private address', ['10.1.2.3']],
    ['one private address among public ones', ['93.184.215.14', '127.0.0.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['an address of this network by IPv6', ['fd12:3456::1']],
  ])('a name that leads to %s', async (_what, addresses) => {
    const { lookup } = resolver(addresses);
    await expect(get(`http://docs.example.com:${site.port}/`, { lookup })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('not on the public Internet'),
    });
  });

  test('a name that resolves differently the second time is resolved once per connection', async () => {
    // An address of the documentation range is refused; the one that would follow is never looked up.
    const { lookup, asked } = resolver(['192.0.2.1'], ['127.0.0.1']);
    await expect(get(`http://rebind.example.com:${site.port}/`, { lookup })).rejects.toThrow(
      'public',
    );
    expect(asked()).toBe(1);
    // And a host that may be asked is connected to at the address that was checked, not at another.
    const named = resolver(['127.0.0.1'], ['10.0.0.1']);
    const host = `wiki.corp:${site.port}`;
    const { status } = await get(`http://${host}/`, { lookup: named.lookup, privateHosts: [host] });
    expect([status, named.asked()]).toEqual([200, 1]);
    site.requests.length = 0;
  });
});

describe('other protocols, user names, and ports', () => {
  test.each([
    ['file:///etc/passwd', 'only http and https'],
    ['ftp://example.com/', 'only http and https'],
    ['gopher://example.com/', 'only http and https'],
    ['data:text/html,hello', 'only http and https'],
    ['http://user:pass@example.com/', 'user name or password'],
    ['http://user@example.com/', 'user name or password'],
    ['http://example.com:22/', 'port 22'],
    ['https://example.com:6379/', 'port 6379'],
  ])('%s', async (url, words) => {
    await expect(get(url, {}, 'https://example.com/')).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
  });

  test('messages do not contain passwords of addresses', async () => {
    const failed = get('http://user:hunter2@example.com/').catch((error: Error) => error.message);
    expect(await failed).not.toContain('hunter2');
  });

  test.each([
    ['http://127.0.0.1:PORT/inner', 'not on the public Internet'],
    ['//127.0.0.1:PORT/inner', 'not on the public Internet'],
    ['http://169.254.169.254/', 'not on the public Internet'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://a:b@docs.example.com/', 'user name or password'],
    ['http://docs.example.com:25/', 'port 25'],
  ])('a redirect to %s', async (location, words) => {
    // Only the name is allowed: the address behind it, given bare, is not.
    const host = `docs.corp:${site.port}`;
    site.pages['/out'] = {
      status: 302,
      headers: { Location: location.replace('PORT', String(site.port)) },
    };
    const { lookup } = resolver(['127.0.0.1']);
    await expect(get(`http://${host}/out`, { lookup, privateHosts: [host] })).rejects.toMatchObject(
      {
        code: 'bad_request',
        message: expect.stringContaining(words),
      },
    );
    expect(site.requests.map(({ path }) => path)).toEqual(['/out']);
    site.requests.length = 0;
  });

  test('endless redirects', async () => {
    site.pages['/loop'] = { status: 301, headers: { Location: '/loop' } };
    await expect(get(`${site.url}/loop`, { privateHosts: [site.host] })).rejects.toThrow(
      'redirects too often',
    );
    site.requests.length = 0;
  });
});

describe('limits of responses', () => {
  const ask = (path: string) => get(site.url + path, { privateHosts: ['127.0.0.1'] });

  test('a body above the limit, also after decompression', async () => {
    site.pages['/large'] = { body: Buffer.alloc(11_000_000) };
    await expect(ask('/large')).rejects.toMatchObject({ code: 'too_large' });
    const bomb = gzipSync(Buffer.alloc(60_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    site.pages['/bomb'] = { headers: { 'Content-Encoding': 'gzip' }, body: bomb };
    await expect(ask('/bomb')).rejects.toMatchObject({ code: 'too_large' });
  });

  test('a body that never ends, and no answer, end with the timeout', async () => {
    await using slow = await startTestSite({}, (request, response) => {
      if (request.url === '/drip') response.write('<html>');
    });
    for (const path of ['/drip', '/silent']) {
      const asked = get(slow.url + path, {
        privateHosts: [slow.host],
        limits: { ...limits, timeoutMs: 100 },
      });
      await expect(asked).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('did not answer within'),
      });
    }
  });

  test('a wrong content encoding', async () => {
    site.pages['/no-gzip'] = { headers: { 'Content-Encoding': 'gzip' }, body: 'plain' };
    await expect(ask('/no-gzip')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a busy server is retried after its delay, up to three times', async () => {
    let asked = 0;
    site.pages['/busy'] = () =>
      ++asked < 3 ? { status: 503, headers: { 'Retry-After': '0' } } : { body: 'now' };
    expect((await ask('/busy')).body.toString()).toBe('now');
    site.pages['/down'] = { status: 500 };
    site.requests.length = 0;
    expect((await ask('/down')).status).toBe(500);
    expect(site.requests).toHaveLength(3);
    // Who asks for a longer rest than a run lasts is left alone.
    site.pages['/later'] = { status: 429, headers: { 'Retry-After': '3600' } };
    site.requests.length = 0;
    expect((await ask('/later')).status).toBe(429);
    expect(site.requests).toHaveLength(1);
  });

  test('requests name our user agent', async () => {
    site.requests.length = 0;
    await ask('/');
    expect(site.requests[0]?.headers['user-agent']).toMatch(/^Docent\//);
  });
});
