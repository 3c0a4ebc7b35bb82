/**
 * What the script tag runs: it puts the launcher on the page and loads everything else when a reader
 * wants it. It must stay small, work from anywhere in the page, any number of times, and never throw.
 */
import type { DocentApi } from './api.ts';
import { createLoad } from './load.ts';
import type { Explain } from './panel-contract.ts';
import { readSettings } from './settings.ts';
import { warn } from './warn.ts';
import { startWidget } from './widget.ts';

function start(): void {
  const script =
    (document.currentScript as HTMLScriptElement | null) ??
    // A module loader or a tag manager may have run the text in another way.
    document.querySelector<HTMLScriptElement>('script[data-site][src*="docent"]');
  const queue = window.Docent;
  if (!script || queue?.ready) return;
  const { settings, wrong } = readSettings(script.dataset, script.src);
  if (wrong.length) {
    const load = createLoad(settings.base, document.documentElement);
    load<{ explain: Explain }>('explain').then(
      ({ explain }) => explain(script.dataset, wrong),
      () => warn(`wrong: ${wrong.join()}`),
    );
  }
  if (!settings.site || !settings.key) return;

  const calls: unknown[][] = Array.from(queue?.q ?? [], (call) => Array.from(call));
  let run = (call: unknown[]): void => void calls.push(call);
  const api: DocentApi = (...call: unknown[]) => run(call);
  api.ready = true;
  window.Docent = api;

  const begin = () => {
    const widget = startWidget(settings, () => delete window.Docent, script);
    run = ([verb, text]) => {
      const known = Object.hasOwn(widget, String(verb)) && widget[verb as keyof typeof widget];
      if (known) known(typeof text === 'string' ? text : '');
      else warn(`Docent('${String(verb)}'): write one of ${Object.keys(widget).join(', ')}.`);
    };
    calls.forEach((call) => run(call));
  };
  if (document.body) begin();
  else addEventListener('DOMContentLoaded', begin, { once: true });
}

try {
  start();
} catch (error) {
  warn(String(error));
}
