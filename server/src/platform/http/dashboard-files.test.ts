import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { createDashboardFiles } from './dashboard-files.ts';
import { createErrorHandler } from './error-handler.ts';

let folder: string;
let server: Server;
let url: string;
let isNew = false;
const deps = {
  needsSetup: async () => isNew,
  config: { dashboard: { enabled: true } },
  state: { dashboardPort: undefined },
} as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-dashboard-'));
  await mkdir(join(folder, 'built', 'assets'), { recursive: true });
  const html = '<script type="module" src="./assets/index-abc.js"></script>';
  await writeFile(join(folder, 'built', 'index.html'), html);
  await writeFile(join(folder, 'built', 'assets', 'index-abc.js'), 'run()');
  const app = express().enable('strict routing');
  app.use('/missing', createDashboardFiles({ ...deps, folder: join(folder, 'nowhere') }));
  app.use('/docent', createDashboardFiles({ ...deps, folder: join(folder, 'built') }));
  app.use(createDashboardFiles({ ...deps, folder: join(folder, 'built') }));
  app.use(createErrorHandler(createLog('silent')));
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('the root leads to the dashboard, also below a path of a proxy', async () => {
  for (const root of ['/', '/docent/']) {
    const { status, url: end } = await fetch(url + root);
    expect([status, new URL(end).pathname]).toEqual([200, `${root}dashboard`]);
  }
});

test('every page is the same HTML, which finds its files from any depth', async () => {
  for (const prefix of ['', '/docent']) {
    for (const path of [
      '/dashboard',
      '/dashboard/',
      '/dashboard/keys',
      '/dashboard/jobs/job_1/log',
    ]) {
      const page = await fetch(url + prefix + path);
      const [, src = ''] = /src="([^"]+)"/.exec(await page.text()) ?? [];
      expect(new URL(src, page.url).pathname).toBe(`${prefix}/dashboard/assets/index-abc.js`);
      const script = await fetch(new URL(src, page.url));
      expect(await script.text()).toBe('run()');
    }
  }
});

test('pages run only their own files and stay in no cache; files stay for ever', async () => {
  const page = await fetch(`${url}/dashboard/keys`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  const file = await fetch(`${url}/dashboard/assets/index-abc.js`);
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test.each(['none.js', '..%2findex.html', 'index-abc', '%2e%2e%2f%2e%2e%2fsecret.js'])(
  'there is no file %s',
  async (name) => {
    const response = await fetch(`${url}/dashboard/assets/${name}`);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBeNull();
  },
);

test('a dashboard that is not built says how to build it', async () => {
  const response = await fetch(`${url}/missing/dashboard`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    error: 'The dashboard isn’t built. Run "pnpm build", and reload this page.',
  });
});

test('before the first account, every page leads to the setup, which knows the way back', async () => {
  isNew = true;
  for (const prefix of ['', '/docent']) {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/jobs/job_1?tab=log']) {
      const { url: end, status } = await fetch(url + prefix + path);
      const { pathname, searchParams } = new URL(end);
      expect([status, pathname, searchParams.get('next')]).toEqual([
        200,
        `${prefix}/dashboard/setup`,
        path,
      ]);
    }
  }
  isNew = false;
});
