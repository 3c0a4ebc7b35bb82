/** Reports a problem with the current page, without an answer. */
import type { FeedbackReason } from '@docent/shared/feedback';
import { useState } from 'preact/hooks';
import type { Feedback } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import { currentPage } from '../reportable-pages.ts';
import { reportPage, takeBack as takeBackReport } from '../send-feedback.ts';
import { useFormText } from '../../text/form-strings.ts';
import { FormView } from './form-view.tsx';
import { NoteField, useNote } from './note-field.tsx';
import { ReasonTags } from './reason-tags.tsx';
import { Button } from './icon-button.tsx';

const reasonsOfPage = ['incorrect', 'outdated', 'incomplete', 'unclear', 'other'] as const;

export function PageReport() {
  const deps = useDeps();
  const text = useFormText();
  const reports = deps.site.value?.pageReports;
  const { words, isLongEnough, field } = useNote(Math.max(1, reports?.minNoteCharacters ?? 0));
  const [page] = useState(currentPage);
  const [reasons, setReasons] = useState<FeedbackReason[]>([]);
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Feedback | 'later' | 'refused'>();
  const onSubmit = async (form: HTMLFormElement) => {
    if (!isLongEnough(form)) return;
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
    deps.toConversation();
  };
  const kept = typeof outcome === 'object' ? outcome : undefined;
  const state = kept?.report === 'started' ? text.reportStarted : kept?.report && text.reportReview;
  const failures = { later: text.reportLater, refused: text.reportUnknown };
  return (
    <FormView
      name="report"
      title={text.reportTitle}
      about={
        <p class="report-page">
          {page.title} <span class="muted">{page.path}</span>
        </p>
      }
      thanks={kept && [text.thanks, state].filter(Boolean).join(' ')}
      failure={typeof outcome === 'string' ? failures[outcome] : undefined}
      send={text.fixSend}
      isSending={isSending}
      onSubmit={onSubmit}
      more={
        kept?.id && (
          <Button class="link-button" testId="docent-report-undo" onClick={() => void takeBack()}>
            {text.takeBack}
          </Button>
        )
      }
    >
      <p class="muted">
        {reports?.createJobs === 'at-once' ? text.fixAtOnce : text.fixAfterReview}
      </p>
      <ReasonTags
        legend={text.reportWhat}
        reasons={reasonsOfPage}
        chosen={reasons}
        onChange={setReasons}
      />
      <NoteField label={text.fixNote} rows={4} testId="docent-report-note" {...field} />
    </FormView>
  );
}
