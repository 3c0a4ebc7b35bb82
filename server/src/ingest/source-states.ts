/** What each source of a site brought and keeps from run to run. */
export interface SourceState {
  /** Paths of the pages in the index that came from it. */
  paths: string[];
  /** JSON of the source's own, such as validators. */
  kept?: unknown;
}

export interface SourceStates {
  load(domain: string): Promise<Map<string, SourceState>>;
  /** Writes only what differs. */
  save(
    domain: string,
    before: ReadonlyMap<string, SourceState>,
    after: ReadonlyMap<string, SourceState>,
  ): Promise<void>;
}
