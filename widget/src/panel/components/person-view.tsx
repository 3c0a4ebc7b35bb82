/** The form that reaches people: who asks, what, and whether they agree. */
import type { TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { type PanelDeps, useDeps } from '../deps.ts';
import { asksForProof } from '../../chat/request.ts';
import { useFormText } from '../../text/form-strings.ts';
import { FormView } from './form-view.tsx';

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
  const text = useFormText();
  const [written, setWritten] = useState(draft);
  const [state, setState] = useState<'writing' | 'sending' | 'missing' | 'later' | 'sent'>(
    'writing',
  );
  const write = (more: Partial<Written>) => {
    draft = { ...written, ...more };
    setWritten(draft);
  };
  const onSubmit = async (form: HTMLFormElement) => {
    const wrong = form.querySelector<HTMLInputElement>(':invalid:not(fieldset)');
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
    <FormView
      name="person"
      title={text.askPerson}
      thanks={state === 'sent' ? text.personSent : undefined}
      failure={state === 'later' ? text.personLater : undefined}
      mistake={state === 'missing' ? text.personMissing : undefined}
      send={text.send}
      isSending={state === 'sending'}
      onSubmit={onSubmit}
    >
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
    </FormView>
  );
}
