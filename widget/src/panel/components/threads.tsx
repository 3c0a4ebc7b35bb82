/** The list of conversations. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useDeps } from '../deps.ts';
import { fill, useText } from '../../text/text.ts';
import css from '../../styles/threads.css?inline';
import { Button, IconButton } from './icon-button.tsx';
import { BackIcon, NewIcon, SearchIcon } from './icons.tsx';
import { ThreadRow } from './thread-row.tsx';
import { useStyles } from './use-styles.ts';

const searchFrom = 10;

export function Threads() {
  const { session, deletions, startNew, toConversation } = useDeps();
  const text = useText();
  const root = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [undo, setUndo] = useState<{ words: string; back: () => void }>();
  const [isSure, setSure] = useState(false);
  useStyles(root, css);
  const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
  useEffect(() => {
    (find('[aria-current]') ?? find('[data-testid=docent-threads-new]'))?.focus();
    // The undo is no longer possible, so the deletion is final.
    return () => void deletions.send();
  }, []);

  const all = session.conversations.value;
  const wanted = query.trim().toLowerCase();
  const shown = wanted ? all.filter(({ title }) => title.toLowerCase().includes(wanted)) : all;

  const remove = (ids: string[], words: string) => {
    // The previous deletion is final.
    if (undo) void deletions.send();
    setUndo({ words, back: session.remove(ids) });
    setSure(false);
  };
  // Before the browser notices that the focused element is gone.
  useLayoutEffect(() => {
    if (undo) find('[data-testid=docent-threads-undo]')?.focus();
  }, [undo]);

  /** Arrows move through the list. Tab reaches the actions of a row. */
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(root.current?.querySelectorAll<HTMLElement>('.thread-open') ?? [])];
    const at = rows.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (at < 0 || to === undefined || !rows[to]) return;
    event.preventDefault();
    rows[to].focus();
  };

  return (
    <div
      class="threads"
      ref={root}
      role="region"
      aria-labelledby="docent-threads"
      data-testid="docent-threads"
    >
      <div class="threads-head">
        <IconButton
          testId="docent-threads-back"
          name={text.back}
          onClick={toConversation}
          icon={BackIcon}
        />
        <h3 id="docent-threads">{text.threadsTitle}</h3>
        <Button
          testId="docent-threads-new"
          onClick={() => {
            startNew();
            toConversation();
          }}
        >
          <NewIcon />
          {text.newConversation}
        </Button>
      </div>
      {all.length > searchFrom && (
        <div class="threads-search">
          <SearchIcon />
          <input
            type="search"
            data-testid="docent-threads-search"
            aria-label={text.searchThreads}
            placeholder={text.searchThreads}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </div>
      )}
      <div class="threads-scroller">
        {all.length === 0 && (
          <div class="threads-empty" data-testid="docent-threads-empty">
            <p class="threads-empty-title">{text.threadsEmptyTitle}</p>
            <p class="muted">{text.threadsEmptyText}</p>
          </div>
        )}
        {/* Said when it changes, so it is there from the beginning. */}
        <p class="muted threads-none" role="status">
          {all.length > 0 &&
            shown.length === 0 &&
            fill(text.noThreadFound, { query: query.trim() })}
        </p>
        <ul onKeyDown={onKeyDown} aria-labelledby="docent-threads">
          {shown.map((row) => (
            <ThreadRow
              key={row.id}
              row={row}
              onOpen={() => {
                session.open(row.id);
                toConversation();
              }}
              onRemove={() => remove([row.id], fill(text.deleted, { title: row.title }))}
            />
          ))}
        </ul>
        {all.length > 1 &&
          !wanted &&
          (isSure ? (
            <div
              class="threads-sure"
              role="group"
              aria-labelledby="docent-threads-sure"
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                event.stopPropagation();
                setSure(false);
              }}
            >
              <p id="docent-threads-sure">{text.deleteAllSure}</p>
              <button
                type="button"
                class="button"
                data-testid="docent-threads-cancel"
                ref={(button) => button?.focus()}
                onClick={() => setSure(false)}
              >
                {text.cancel}
              </button>
              <Button
                class="button danger"
                testId="docent-threads-delete-all-yes"
                onClick={() =>
                  remove(
                    all.map(({ id }) => id),
                    text.deletedAll,
                  )
                }
              >
                {text.deleteAllYes}
              </Button>
            </div>
          ) : (
            <Button
              class="threads-delete-all"
              testId="docent-threads-delete-all"
              onClick={() => setSure(true)}
            >
              {text.deleteAll}
            </Button>
          ))}
      </div>
      {deletions.failed.value > 0 && (
        <p class="muted threads-note" role="status" data-testid="docent-threads-not-sent">
          {text.notSent}
        </p>
      )}
      {undo && (
        <div class="threads-undo">
          <p role="status">{undo.words}</p>
          <Button
            testId="docent-threads-undo"
            onClick={() => {
              undo.back();
              setUndo(undefined);
              setTimeout(() => find('.thread-open')?.focus());
            }}
          >
            {text.undo}
          </Button>
        </div>
      )}
    </div>
  );
}
