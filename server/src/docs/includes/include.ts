/** What a page can say in place of the contents of another file. */
import type { Layout } from '../generators/layout.ts';

/** Where includes are looked for. Paths start at the root of the repository or of the file system. */
export interface IncludeSite {
  layout: Pick<
    Layout,
    | 'generator'
    | 'siteFolder'
    | 'mounts'
    | 'extensions'
    | 'includePaths'
    | 'aliases'
    | 'isMarkdownMdx'
  >;
  /** The folder that no include leaves. */
  root: string;
}

export interface Include {
  /** As the author wrote it, for messages. */
  written: string;
  /** The files that it can mean, most likely first. Empty: `reason` says why. */
  files: readonly string[];
  reason?: string | undefined;
  /**
   * `markdown` is a document of its own, `code` becomes a code block, `text` is inserted as it is, and
   * `value` is a word or a few.
   */
  as: 'markdown' | 'code' | 'text' | 'value';
  /** Returns a part of the file, or why it can't. */
  pick?: (text: string) => Picked;
  language?: string | undefined;
  title?: string | undefined;
  /** Relative links in the file start at the file, not at the page. */
  hasOwnLinks?: boolean;
  /** Values for the placeholders of a snippet. */
  props?: Props | undefined;
}

/** `isCode`: the site shows it, but nothing of a page runs here. */
export type Picked = { text: string } | { reason: string; isCode?: boolean };
export type Props = ReadonlyMap<string, string>;

/** A place in a text, and what stands there instead. */
export interface Found {
  start: number;
  end: number;
  include?: Include;
  /** Known without another file. */
  text?: string;
  /** Alone on its lines, so that it keeps their indentation. */
  isBlock: boolean;
}

/** The text that is read, and how it got there. */
export interface Reading {
  text: string;
  file: string;
  /** The text is part of a code block. */
  isCode: boolean;
  /** `undefined`: the page itself. */
  props: Props | undefined;
  site: IncludeSite;
}

export type FindIncludes = (reading: Reading) => Found[];
