/** The types of `@docent/widget/react`. react.ts implements them. */
import type { ReactElement } from 'react';
import type { DocentWidget } from './api.ts';
import type { DocentEventName, DocentEvents } from './events.ts';
import type { DocentOptions } from './options.ts';

export type * from './api.ts';

/** `onAnswer` for the event `answer`, and so on. The newest one is called; none has to be memoized. */
export type DocentEventProps = {
  [Name in DocentEventName as `on${Capitalize<Name>}`]?: (event: DocentEvents[Name]) => void;
};

/** The options of `createDocent`. `key` is React's own word, so the site's key is `siteKey`. */
export interface DocentProps extends Omit<DocentOptions, 'key'>, DocentEventProps {
  /** An assistant key, `svc_dsc_…`. */
  siteKey: string;
}

/**
 * A widget for as long as this is on the page; changed props change it. With `layout="inline"` and no
 * `target` the panel is where this stands, else it renders nothing.
 */
export declare function Docent(props: DocentProps): ReactElement | null;

/**
 * The widget of `<Docent>`, wherever that is; `name` where it has one. The same object each time. Calls
 * before it is there wait for it.
 */
export declare function useDocent(name?: string): DocentWidget;
