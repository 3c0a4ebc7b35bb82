/** In each process of the tests: servers within it start the worker threads that `build-server.ts` built. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const once = Symbol.for('docent.tests.built-worker');
const cli = process.env['DOCENT_TEST_CLI'];

if (cli !== undefined && !(once in globalThis)) {
  const url = pathToFileURL(join(cli, '../worker.js')).href;
  registerHooks({
    resolve: (name, context, next) =>
      name === '#worker' ? { url, shortCircuit: true } : next(name, context),
  });
  Object.assign(globalThis, { [once]: true });
}
