/** Reports a problem with the current page, without an answer. */
import type { FeedbackReason } from '@docent/shared/feedback';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Feedback } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import { currentPage } from '../reportable-pages.ts';
import { reportPage, takeBack as takeBackReport } from '../send-feedback.ts';
import css from '../../styles/feedback.css?inline';
import { useText } from '../../text/text.ts';
import { NoteField } from './note-field.tsx';
import { ReasonTags } from './reason-tags.tsx';
import { useStyles } from './use-styles.ts';
import { Button } from './icon-button.tsx';

const reasonsOfPage: readonly FeedbackReason[] = [
  'incorrect',
  'outdated',
  'incomplete',
  'unclear',
  'other',
];

export function PageReport() {
  const deps = useDeps();
  const text = useText();
  const reports = deps.site.value?.pageReports;
  const minCharacters = Math.max(1, reports?.minNoteCharacters ?? 0);
  const [page] = useState(currentPage);
  const [reasons, setReasons] = useState<FeedbackReason[]>([]);
  const [note, setNote] = useState('');
  const [isShort, setShort] = useState(false);
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Feedback | 'later' | 'refused'>();
  const root = useRef<HTMLFormElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const id = useId();
  useStyles(root, css);
  // The menu that led here is closed.
  useEffect(() => title.current?.focus(), []);
  useEffect(() => {
    if (outcome) said.current?.focus();
  }, [outcome]);

  const back = () => {
    deps.view.value = 'conversation';
    // After the conversation is drawn.
    setTimeout(() => deps.field.current?.focus());
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const words = note.trim();
    if (words.length < minCharacters) {
      setShort(true);
      root.current?.querySelector('textarea')?.focus();
      return;
    }
    setSending(true);
    const result = await reportPage({ path: page.path, reasons, note: words }, deps);
    setSending(false);
    setOutcome(result);
  };
  const takeBack = async () => {
    if (typeof outcome !== 'object' || !outcome.id) return;
    const taken = await takeBackReport(outcome.id, deps);
    if (taken.kind !== 'kept') return;
    deps.announce(text.takenBack);
    back();
  };
  const isKept = typeof outcome === 'object';
  return (
    <div class="report">
      <form
        ref={root}
        class="feedback"
        data-testid="docent-report"
        aria-labelledby={`${id}title`}
        noValidate
        onSubmit={(event) => void onSubmit(event)}
      >
        <h3 ref={title} id={`${id}title`} class="empty-title" tabIndex={-1}>
          {text.reportTitle}
        </h3>
        <p class="report-page">
          {page.title} <span class="muted">{page.path}</span>
        </p>
        {isKept ? (
          <p ref={said} tabIndex={-1} data-testid="docent-report-thanks">
            {text.thanks}{' '}
            {outcome.report === 'started'
              ? text.reportStarted
              : outcome.report === 'review' && text.reportReview}
          </p>
        ) : (
          <>
            <p class="muted">
              {reports?.createJobs === 'at-once' ? text.fixAtOnce : text.fixAfterReview}
            </p>
            <ReasonTags
              legend={text.reportWhat}
              reasons={reasonsOfPage}
              chosen={reasons}
              onChange={setReasons}
            />
            <NoteField
              label={text.fixNote}
              rows={4}
              testId="docent-report-note"
              value={note}
              isRequired
              missing={isShort ? minCharacters : undefined}
              onChange={(words) => {
                setNote(words);
                setShort(false);
              }}
            />
            {outcome && (
              <p ref={said} tabIndex={-1} class="feedback-mistake" role="alert">
                {outcome === 'later' ? text.reportLater : text.reportUnknown}
              </p>
            )}
          </>
        )}
        <div class="feedback-buttons">
          {!isKept && (
            <Button
              type="submit"
              class="button primary"
              testId="docent-report-send"
              disabled={isSending}
            >
              {text.fixSend}
            </Button>
          )}
          {isKept && outcome.id && (
            <Button class="link-button" testId="docent-report-undo" onClick={() => void takeBack()}>
              {text.takeBack}
            </Button>
          )}
          <Button class="link-button" testId="docent-report-back" onClick={back}>
            {text.back}
          </Button>
        </div>
      </form>
    </div>
  );
}
