import { useId } from 'preact/hooks';
import { useFormText } from '../../text/form-strings.ts';
import { fill } from '../../text/text.ts';

interface NoteFieldProps {
  label: string;
  rows: number;
  testId: string;
  value: string;
  isRequired: boolean;
  /** The required number of characters, after the reader tried to send fewer. */
  missing: number | undefined;
  onChange: (note: string) => void;
}

export function NoteField(props: NoteFieldProps) {
  const { label, rows, testId, value, isRequired, missing, onChange } = props;
  const text = useFormText();
  const id = useId();
  return (
    <>
      <label class="feedback-note">
        <span class="label">{label}</span>
        <textarea
          rows={rows}
          data-testid={testId}
          maxLength={1000}
          placeholder={text.notePlaceholder}
          value={value}
          required={isRequired}
          aria-invalid={missing !== undefined}
          aria-describedby={missing === undefined ? undefined : id}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      {missing !== undefined && (
        <p class="feedback-mistake" id={id} role="alert">
          {fill(text.fixShort, { count: missing })}
        </p>
      )}
    </>
  );
}
