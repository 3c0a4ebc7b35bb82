/** A form in place of the conversation, and what came of it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useDeps } from '../deps.ts';
import css from '../../styles/feedback.css?inline';
import { useText } from '../../text/text.ts';
import { Button } from './icon-button.tsx';
import { useStyles } from './use-styles.ts';

interface FormViewProps {
  /** The test IDs begin with `docent-` and this. */
  name: string;
  title: string;
  /** Above the fields, and above what stands in their place in the end. */
  about?: ComponentChildren;
  /** It was sent: what stands in place of the fields. */
  thanks: ComponentChildren;
  /** Why it wasn't sent. */
  failure: string | undefined;
  /** What is missing. The submitter moves the focus to it. */
  mistake?: string | undefined;
  send: string;
  isSending: boolean;
  onSubmit: (form: HTMLFormElement) => Promise<void> | void;
  /** Beside the buttons. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

export function FormView(props: FormViewProps) {
  const { name, title, about, thanks, failure, mistake, send, isSending, more, children } = props;
  const text = useText();
  const root = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const id = useId();
  const { toConversation } = useDeps();
  useStyles(root, css);
  // The button that led here is gone.
  useEffect(() => heading.current?.focus(), []);
  const hasEnded = Boolean(thanks ?? failure);
  useEffect(() => {
    if (hasEnded) said.current?.focus();
  }, [hasEnded]);
  return (
    <div class="report">
      <form
        ref={root}
        class="feedback"
        data-testid={`docent-${name}`}
        aria-labelledby={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void props.onSubmit(event.currentTarget);
        }}
      >
        <h3 ref={heading} id={id} class="empty-title" tabIndex={-1}>
          {title}
        </h3>
        {about}
        {thanks ? (
          <p ref={said} tabIndex={-1} data-testid={`docent-${name}-sent`}>
            {thanks}
          </p>
        ) : (
          <>
            {children}
            {(failure ?? mistake) && (
              <p ref={said} tabIndex={-1} class="feedback-mistake" role="alert">
                {failure ?? mistake}
              </p>
            )}
          </>
        )}
        <div class="feedback-buttons">
          {!thanks && (
            <Button
              type="submit"
              class="button primary"
              testId={`docent-${name}-send`}
              disabled={isSending}
            >
              {send}
            </Button>
          )}
          {more}
          <Button class="link-button" testId={`docent-${name}-back`} onClick={toConversation}>
            {text.back}
          </Button>
        </div>
      </form>
    </div>
  );
}
