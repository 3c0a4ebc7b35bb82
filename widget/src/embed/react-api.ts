/** The types of `@docent/widget/react`. react.ts implements them. */
import type { ReactElement } from 'react';
import type { DocentWidget } from './api.ts';
import type { DocentEventName, DocentEvents } from './events.ts';
import type { DocentOptions } from './options.ts';

export type * from './api.ts';

/** `onAnswer` for the event `answer`, and so on. You don't need to memoize them. */
export type DocentEventProps = {
  [Name in DocentEventName as `on${Capitalize<Name>}`]?: (event: DocentEvents[Name]) => void;
};

/** The options of `createDocent`. React reserves `key`, so the site's key is `siteKey`. */
export interface DocentProps extends Omit<DocentOptions, 'key'>, DocentEventProps {
  /** An assistant key, `svc_dsc_…`. */
  siteKey: string;
}

/**
 * A widget for as long as this component is on the page. With `layout="inline"` and no `target`,
 * the panel is here. Otherwise it renders nothing.
 */
export declare function Docent(props: DocentProps): ReactElement | null;

/**
 * The widget of `<Docent>` with this name. Calls wait until it's there. Returns the same object
 * each time.
 */
export declare function useDocent(name?: string): DocentWidget;
