/** What a page of `docent start` shows: a page of the index, or the list of all. */
export interface PreviewPage {
  site: { name: string; domain: string; baseUrl: string | null };
  /** Null: no page of the index is at this path. */
  page: {
    path: string;
    title: string;
    /** The text of the index: what the assistant knows, with the anchors that citations lead to. */
    passages: { anchor: string; heading: string; isNested: boolean; markdown: string }[];
  } | null;
  /** Pages that are open to everybody. */
  paths: string[];
  /** How many more there are. */
  more: number;
}
