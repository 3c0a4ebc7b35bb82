/**
 * The script of the tag: puts the launcher on the page and loads the rest on demand. It must stay
 * small, run anywhere and repeatedly, and never throw.
 */
/* oxlint-disable typescript/restrict-template-expressions -- every page loads this file: `${x}` is shorter than String(x). */
import type { DocentApi } from '../embed/api.ts';
import { type Boot, bootWidget } from './boot.ts';
import { ownScript } from './load.ts';
import { warn } from './warn.ts';

type Widgets = Record<string, Boot>;

/**
 * `window.Docent`, one for all tags of a page. A call for a widget that isn't there waits in `q`.
 */
function createApi(): DocentApi {
  const api = ((...call: unknown[]) => {
    const [verb, name = ''] = `${call[0]}`.split(':').reverse() as [string, string?];
    const widget = (api.widgets as Widgets)[name];
    if (!widget) return void (api.q as unknown[]).push(call);
    try {
      widget.run(verb, ...call.slice(1));
    } catch (error) {
      warn(`${verb}: ${error}`);
    }
  }) as DocentApi;
  api.widgets = { __proto__: null } as unknown as Widgets;
  return api;
}

function start(): void {
  const script =
    ownScript ??
    // A module loader or a tag manager may have run the code.
    document.querySelector<HTMLScriptElement>('script[data-site][src*="docent"]');
  if (!script) return;
  // An element may have this name.
  let early = window.Docent;
  if (typeof early !== 'function') early = undefined;
  const name = script.dataset['name']?.trim() ?? '';
  const api = early?.widgets ? early : createApi();
  const widgets = api.widgets as Widgets;
  if (widgets[name]?.again(script)) return;

  const boot = bootWidget({
    data: script.dataset,
    src: script.src,
    script,
    onDestroy() {
      delete widgets[name];
      if (!Object.keys(widgets).length && window.Docent === api) delete window.Docent;
    },
  });
  if (!boot) return;
  widgets[name] = boot;
  window.Docent = api;
  // In order. Calls for other widgets keep waiting.
  const calls = (early?.q ?? []) as Iterable<Iterable<unknown>>;
  api.q = [];
  for (const call of calls) api(...(call as unknown as ['open']));
}

try {
  start();
} catch (error) {
  warn(`${error}`);
}
