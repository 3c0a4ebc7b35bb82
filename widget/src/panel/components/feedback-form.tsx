/** The reasons for a rating, and a report of the page if the site accepts reports. */
import type { FeedbackReason } from '@docent/shared/feedback';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Feedback, Message } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import { pagesOf } from '../reportable-pages.ts';
import css from '../../styles/feedback.css?inline';
import { useFormText } from '../../text/form-strings.ts';
import { NoteField, useNote } from './note-field.tsx';
import { PageChoice } from './page-choice.tsx';
import { ReasonTags } from './reason-tags.tsx';
import { useStyles } from './use-styles.ts';
import { Button } from './icon-button.tsx';

const reasonsFor = {
  up: ['accurate', 'clear', 'found_it_fast', 'other'],
  down: ['incorrect', 'incomplete', 'outdated', 'wrong_source', 'irrelevant', 'unclear', 'other'],
} as const satisfies Record<string, readonly FeedbackReason[]>;

const ofPage = new Set<FeedbackReason>(['incorrect', 'incomplete', 'outdated', 'wrong_source']);

interface FeedbackFormProps {
  message: Message;
  rating: 'up' | 'down';
  onSend: (more: Pick<Feedback, 'reasons' | 'note' | 'path'>) => void;
  onTakeBack: () => void;
}

export function FeedbackForm({ message, rating, onSend, onTakeBack }: FeedbackFormProps) {
  const deps = useDeps();
  const text = useFormText();
  const reports = deps.site.value?.pageReports;
  const [reasons, setReasons] = useState<FeedbackReason[]>([]);
  const [isReport, setReport] = useState(false);
  const pages = useRef(pagesOf(message));
  const [path, setPath] = useState(pages.current[0]?.path ?? '');
  const [isSent, setSent] = useState(false);
  const root = useRef<HTMLFormElement>(null);
  const id = useId();
  useStyles(root, css);
  // The form may open below what is visible.
  useEffect(() => root.current?.scrollIntoView({ block: 'nearest' }), []);

  const mayReport = rating === 'down' && reports && reasons.some((reason) => ofPage.has(reason));
  const asReport = Boolean(mayReport && isReport);
  const { words, isLongEnough, field } = useNote(asReport ? (reports?.minNoteCharacters ?? 0) : 0);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!isLongEnough(root.current)) return;
    onSend({ reasons, note: words || undefined, path: asReport ? path : undefined });
    setSent(true);
  };
  return (
    <form
      ref={root}
      class="feedback"
      data-testid="docent-feedback"
      aria-label={rating === 'up' ? text.whyUp : text.whyDown}
      noValidate
      onSubmit={onSubmit}
    >
      {isSent ? (
        <Thanks feedback={message.feedback} onTakeBack={onTakeBack} />
      ) : (
        <>
          <ReasonTags
            legend={rating === 'up' ? text.whyUp : text.whyDown}
            reasons={reasonsFor[rating]}
            chosen={reasons}
            onChange={setReasons}
          />
          {mayReport && (
            <div class="feedback-fix">
              <label class="check">
                <input
                  type="checkbox"
                  data-testid="docent-feedback-fix"
                  checked={isReport}
                  aria-describedby={`${id}fix`}
                  onChange={(event) => setReport(event.currentTarget.checked)}
                />
                {text.fixOffer}
              </label>
              <p class="muted" id={`${id}fix`}>
                {reports.createJobs === 'at-once' ? text.fixAtOnce : text.fixAfterReview}
              </p>
              {isReport && <PageChoice pages={pages.current} chosen={path} onChange={setPath} />}
            </div>
          )}
          <NoteField
            label={asReport ? text.fixNote : text.feedbackNote}
            rows={2}
            testId="docent-feedback-note"
            {...field}
          />
          <div class="feedback-buttons">
            <Button
              type="submit"
              class="button primary"
              testId="docent-feedback-send"
              disabled={!reasons.length && !words}
            >
              {asReport ? text.fixSend : text.feedbackSend}
            </Button>
            <TakeBack onTakeBack={onTakeBack} />
          </div>
        </>
      )}
    </form>
  );
}

/** Says what happened to the feedback, as soon as the service has replied. */
function Thanks({
  feedback,
  onTakeBack,
}: {
  feedback: Feedback | undefined;
  onTakeBack: () => void;
}) {
  const text = useFormText();
  const { announce } = useDeps();
  const words = useRef<HTMLParagraphElement>(null);
  const said = [
    feedback ? text.thanks : text.feedbackRefused,
    feedback?.isWaiting && !navigator.onLine && text.feedbackWaiting,
    feedback?.report === 'review' && text.reportReview,
    feedback?.report === 'started' && text.reportStarted,
  ]
    .filter(Boolean)
    .join(' ');
  // The button that had the focus is gone.
  useEffect(() => words.current?.focus(), []);
  useEffect(() => {
    if (feedback && !feedback.isWaiting && feedback.report) announce(said);
  }, [said]);
  return (
    <div class="feedback-thanks">
      <p ref={words} tabIndex={-1} data-testid="docent-feedback-thanks">
        {said}
      </p>
      {feedback && <TakeBack onTakeBack={onTakeBack} />}
    </div>
  );
}

function TakeBack({ onTakeBack }: { onTakeBack: () => void }) {
  const { announce } = useDeps();
  const text = useFormText();
  return (
    <Button
      class="link-button"
      testId="docent-feedback-undo"
      onClick={(event) => {
        // The form disappears, so move the focus to its thumb.
        const answer = event.currentTarget.closest('.answer');
        onTakeBack();
        answer?.querySelector<HTMLElement>('.thumb[aria-pressed=true]')?.focus();
        announce(text.takenBack);
      }}
    >
      {text.takeBack}
    </Button>
  );
}
