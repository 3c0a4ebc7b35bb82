/** The widget as a React component, with the page's own React. */
import { createElement, useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { DocentWidget } from './api.ts';
import type { DocentEventName } from './events.ts';
import { forward } from './forward.ts';
import { createDocent } from './module.ts';
import type { DocentOptions } from './options.ts';
import type * as api from './react-api.ts';

const events = [
  'ready',
  'open',
  'close',
  'question',
  'answer',
  'error',
  'feedback',
  'source',
  'stop',
  'copy',
  'hide',
] as const satisfies readonly DocentEventName[];
const propOf = (event: DocentEventName) =>
  `on${event[0]?.toUpperCase()}${event.slice(1)}` as keyof api.DocentEventProps;

type Call = (widget: DocentWidget) => void;
type Methods = Record<string, (...values: unknown[]) => void>;

/** The widget of a name. */
interface Slot {
  widget: DocentWidget | undefined;
  /** Two components may show it for a moment while pages change. */
  users: number;
  waiting: Call[];
  handle: DocentWidget;
}
const slots = new Map<string, Slot>();

function slotOf(name: string): Slot {
  const known = slots.get(name);
  if (known) return known;
  const slot: Slot = {
    widget: undefined,
    users: 0,
    waiting: [],
    handle: forward((verb, values) => {
      const call: Call = (widget) => (widget as unknown as Methods)[verb]?.(...values);
      if (slot.widget) call(slot.widget);
      else slot.waiting.push(call);
    }),
  };
  slots.set(name, slot);
  return slot;
}

export const useDocent: typeof api.useDocent = (name = '') => slotOf(name).handle;

type Handler = (event: unknown) => void;
type Handlers = Readonly<Record<DocentEventName, Handler>>;

/** The newest handler gets the event. */
const handlersOf = (newest: { readonly current: api.DocentProps }) =>
  Object.fromEntries(
    events.map((event): [string, Handler] => [
      event,
      (value) => (newest.current[propOf(event)] as Handler | undefined)?.(value),
    ]),
  ) as Handlers;

export const Docent: typeof api.Docent = (props) => {
  const name = props.name ?? '';
  const isHere = props.layout === 'inline' && !props.target;
  const element = useRef<HTMLDivElement>(null);
  const newest = useRef(props);
  const handlers = useRef<Handlers>(undefined);
  const heard = useRef<DocentWidget>(undefined);

  // After each render. `createDocent` finds the changes.
  useEffect(() => {
    newest.current = props;
    const { siteKey: key, ...rest } = props;
    const options: Record<string, unknown> = { ...rest, key };
    for (const event of events) delete options[propOf(event)];
    if (isHere) options['target'] = element.current;
    const slot = slotOf(name);
    const widget = createDocent(options as unknown as DocentOptions);
    slot.widget = widget;
    if (heard.current !== widget) {
      heard.current = widget;
      const all = (handlers.current ??= handlersOf(newest));
      for (const event of events) widget.on(event, all[event]);
    }
    for (const call of slot.waiting.splice(0)) call(widget);
  });

  useEffect(() => {
    const slot = slotOf(name);
    slot.users++;
    return () => {
      for (const event of events) heard.current?.off(event, handlers.current?.[event]);
      heard.current = undefined;
      if (--slot.users) return;
      slot.widget?.destroy();
      slot.widget = undefined;
    };
  }, [name]);

  return isHere ? (createElement('div', { ref: element }) as ReactElement) : null;
};
