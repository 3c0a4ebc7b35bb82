/** The settings for JavaScript. This file is published, so it imports nothing. */

/** Limits answers to a part of the documentation. See the configuration page. */
export interface AnswerFilter {
  version?: string;
  language?: string;
  groups?: string[];
  tag?: string;
}

export interface DocentOptions {
  /** Address of the service, `https://docent.example.com`. For the ES module: a tag has its `src`. */
  url: string;
  /** The site's domain, as in the configuration of the service. */
  site: string;
  /** An assistant key, `svc_dsc_…`. */
  key: string;
  /** Tells widgets of one page apart: `Docent('blog:open')`. Default: no name. */
  name?: string;
  /** Default `auto`: as the page is. */
  theme?: 'auto' | 'light' | 'dark';
  /** Any CSS color. Default: a blue. */
  accent?: string;
  /** Default `right`. */
  position?: 'right' | 'left';
  /** Default `bubble`. */
  layout?: 'bubble' | 'sidebar' | 'modal' | 'inline';
  /** Where an inline panel goes: an element or a CSS selector. Default: where the script tag is. */
  target?: string | Element;
  /** A sidebar moves the page aside instead of covering it. Default `false`. */
  push?: boolean;
  /** Heading of the panel, name of the launcher. Default `Ask the docs`. */
  title?: string;
  /** Keys such as `mod+k`; `false` for none. Default `mod+i`. */
  shortcut?: string | false;
  /** A language such as `de`. Default `auto`: that of `<html lang>`. */
  language?: string;
  /**
   * `required`: nothing is sent or stored until the reader agrees in the panel. `true` or `given`:
   * the reader agreed elsewhere, such as in a banner of the page. Default `given`.
   */
  consent?: 'required' | 'given' | boolean;
  /** Your privacy page, linked where the reader gives consent. */
  consentLink?: string;
  /**
   * Removes the assistant, or shows it again, also if the reader has hidden it. Default `false`.
   */
  hidden?: boolean;
  /** Paths without an assistant, such as `/blog/*`. */
  hideOn?: readonly string[];
  /** `false`: the page has a button of its own. Default `true`. */
  launcher?: boolean;
  /** Offers to ask about selected text. Default `true`. */
  selection?: boolean;
  /** Offers to ask about blocks of code. Default `true`. */
  code?: boolean;
  /** Text fields of a support form, as a CSS selector: beside them, answers are offered. */
  deflect?: string;
  /** Lets readers rate answers. Default `true`. */
  feedback?: boolean;
  /** Shows follow-up questions under the last answer. Default `true`. */
  suggestions?: boolean;
  /** Sets how `?ask=…` in the page's address is used. Default `prefill`. */
  deepLink?: 'prefill' | 'send' | 'off';
  /** Limits answers to a part of the documentation. */
  filter?: AnswerFilter;
  /** Your own texts. */
  strings?: Readonly<Record<string, string>>;
}

type Changeable = Omit<DocentOptions, 'url' | 'site' | 'key' | 'name' | 'filter' | 'strings'>;

/** The settings that can change while the widget is on the page. `null` restores the default. */
export type DocentUpdate = { [Name in keyof Changeable]?: Changeable[Name] | null } & {
  filter?: { [Name in keyof AnswerFilter]?: AnswerFilter[Name] | null } | null;
  strings?: Readonly<Record<string, string | null>> | null;
};
