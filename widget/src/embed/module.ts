/**
 * The widget as an ES module, without a tag or a global. It contains only the launcher. The panel
 * comes from the service.
 */
import { type Boot, bootWidget } from '../loader/boot.ts';
import type * as api from './module-api.ts';
import type { DocentWidget } from './api.ts';
import { forward } from './forward.ts';
import { changesOf } from './option-changes.ts';
import type { DocentOptions } from './options.ts';
import { warn } from '../loader/warn.ts';

interface Known {
  options: DocentOptions;
  widget: DocentWidget;
  /** Another service, site, or key is another widget. */
  identity: string;
}
/** By name. */
const widgets = new Map<string, Known>();

/** It never throws. After `destroy`, it does nothing. */
function handleOf(boot?: Boot): DocentWidget {
  return forward((verb, values) => {
    try {
      if (boot && !boot.signal.aborted) boot.run(verb, ...values);
    } catch (error) {
      warn(`${verb}: ${String(error)}`);
    }
  });
}

/** The address that a loader would have. `undefined` if `url` is wrong. */
function sourceOf(url: unknown): string | undefined {
  try {
    const { href, protocol } = new URL(String(url).replace(/\/*$/, '/docent.mjs'), location.href);
    return url && /^https?:$/.test(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

function start(options: DocentOptions): DocentWidget {
  const { url, site, key, name = '' } = options;
  const src = sourceOf(url);
  if (!src) {
    warn(`createDocent: url is not an address: write url: 'https://docent.example.com'.`);
    return handleOf();
  }
  const identity = [src, site, key].join(' ');
  const known = widgets.get(name);
  if (known?.identity === identity) {
    // It leads to the same service.
    const changes = changesOf({ ...known.options, url }, options);
    known.options = { ...options };
    if (Object.keys(changes).length) known.widget.update(changes);
    return known.widget;
  }
  known?.widget.destroy();
  const boot = bootWidget({
    data: { ...options },
    src,
    onDestroy: () => void widgets.delete(name),
  });
  const widget = handleOf(boot);
  if (boot) widgets.set(name, { options: { ...options }, widget, identity });
  return widget;
}

export const createDocent: typeof api.createDocent = (options) => {
  try {
    return typeof document === 'undefined' ? handleOf() : start(options);
  } catch (error) {
    warn(`createDocent: ${String(error)}`);
    return handleOf();
  }
};
