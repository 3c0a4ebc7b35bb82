/** Asks before something that can't be undone, and says what follows. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { Field, Form } from './form.tsx';

interface Question {
  title: string;
  /** What follows: "Pages that use this key stop answering at once." */
  consequences: ComponentChildren;
  /** The name of the action: "Revoke key". */
  action: string;
  /** Nothing is lost by it. */
  isHarmless?: true;
  /** What the person has to type first, for actions that delete much. */
  typeName?: string;
  /** The dialog stays open while this runs and when it fails. */
  run: () => Promise<unknown>;
}

const asked = signal<Question | undefined>(undefined);
const close = () => void (asked.value = undefined);

export const confirm = (question: Question) => void (asked.value = question);

/** Drawn once, by the shell. */
export function ConfirmHost() {
  const question = asked.value;
  if (!question) return null;
  const { title, consequences, action, isHarmless, typeName, run } = question;
  return (
    <Dialog title={title} onClose={close}>
      <Form
        submit={action}
        isDanger={!isHarmless}
        onCancel={close}
        onSubmit={() => run().then(close)}
      >
        <p>{consequences}</p>
        {typeName !== undefined && (
          <Field
            name="name"
            label={
              <>
                Type <code>{typeName}</code> to confirm
              </>
            }
            check={(value) => (value === typeName ? '' : `Type ${typeName}.`)}
          >
            <input required autoComplete="off" spellcheck={false} />
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
