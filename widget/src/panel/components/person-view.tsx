/** The form that reaches people: who asks, what, and whether they agree. */
import type { TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type PanelDeps, useDeps } from '../deps.ts';
import { asksForProof } from '../../chat/request.ts';
import css from '../../styles/feedback.css?inline';
import { personStrings } from '../../text/person-strings.ts';
import { useText } from '../../text/text.ts';
import { Button } from './icon-button.tsx';
import { useStyles } from './use-styles.ts';

interface Written {
  name: string;
  email: string;
  message: string;
  consent: boolean;
}

/** What a reader wrote stays if they look at the conversation meanwhile. */
let draft: Written = { name: '', email: '', message: '', consent: false };

async function send(written: Written, { service, session, fp }: PanelDeps): Promise<boolean> {
  const call = (headers: Record<string, string> = {}) =>
    service.call('/discovery/v1/hand-over', {
      body: { ...written, fp: fp(), threadId: session.threadId() },
      headers,
    });
  try {
    let response = await call();
    if (await asksForProof(response)) {
      const { solveChallenge } = await import('../../chat/challenge.ts');
      const proof = await solveChallenge(service, new AbortController().signal);
      response = await call({ 'x-challenge': proof });
    }
    return response.ok;
  } catch {
    return false;
  }
}

export function PersonView() {
  const deps = useDeps();
  const text = { ...personStrings, ...useText() };
  const [written, setWritten] = useState(draft);
  const [state, setState] = useState<'writing' | 'sending' | 'missing' | 'later' | 'sent'>(
    'writing',
  );
  const root = useRef<HTMLFormElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const id = useId();
  useStyles(root, css);
  // The button that led here is gone.
  useEffect(() => title.current?.focus(), []);
  useEffect(() => {
    if (state === 'later' || state === 'sent') said.current?.focus();
  }, [state]);

  const write = (more: Partial<Written>) => {
    draft = { ...written, ...more };
    setWritten(draft);
  };
  const back = () => {
    deps.view.value = 'conversation';
    // After the conversation is drawn.
    setTimeout(() => deps.field.current?.focus());
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const wrong = root.current?.querySelector<HTMLInputElement>(':invalid:not(fieldset)');
    if (wrong) {
      setState('missing');
      return wrong.focus();
    }
    setState('sending');
    const isSent = await send(written, deps);
    if (isSent) write({ message: '', consent: false });
    setState(isSent ? 'sent' : 'later');
  };
  const shared = (name: 'name' | 'email') => ({
    required: true,
    'data-testid': `docent-person-${name}`,
    value: written[name],
    onInput: (event: TargetedInputEvent<HTMLInputElement>) =>
      write({ [name]: event.currentTarget.value }),
  });
  return (
    <div class="report">
      <form
        ref={root}
        class="feedback"
        data-testid="docent-person"
        aria-labelledby={`${id}title`}
        noValidate
        onSubmit={(event) => void onSubmit(event)}
      >
        <h3 ref={title} id={`${id}title`} class="empty-title" tabIndex={-1}>
          {text.askPerson}
        </h3>
        {state === 'sent' ? (
          <p ref={said} tabIndex={-1} data-testid="docent-person-sent">
            {text.personSent}
          </p>
        ) : (
          <>
            <p class="muted">{text.personText}</p>
            <label class="feedback-note">
              <span class="label">{text.personName}</span>
              <input type="text" autocomplete="name" maxLength={100} {...shared('name')} />
            </label>
            <label class="feedback-note">
              <span class="label">{text.personEmail}</span>
              <input type="email" autocomplete="email" maxLength={254} {...shared('email')} />
            </label>
            <label class="feedback-note">
              <span class="label">{text.personMessage}</span>
              <textarea
                rows={5}
                required
                maxLength={4000}
                data-testid="docent-person-message"
                value={written.message}
                onInput={(event) => write({ message: event.currentTarget.value })}
              />
            </label>
            <label class="check">
              <input
                type="checkbox"
                required
                data-testid="docent-person-consent"
                checked={written.consent}
                onChange={(event) => write({ consent: event.currentTarget.checked })}
              />
              {text.personConsent}
            </label>
            {(state === 'missing' || state === 'later') && (
              <p ref={said} tabIndex={-1} class="feedback-mistake" role="alert">
                {state === 'missing' ? text.personMissing : text.personLater}
              </p>
            )}
          </>
        )}
        <div class="feedback-buttons">
          {state !== 'sent' && (
            <Button
              type="submit"
              class="button primary"
              testId="docent-person-send"
              disabled={state === 'sending'}
            >
              {text.send}
            </Button>
          )}
          <Button class="link-button" testId="docent-person-back" onClick={back}>
            {text.back}
          </Button>
        </div>
      </form>
    </div>
  );
}
