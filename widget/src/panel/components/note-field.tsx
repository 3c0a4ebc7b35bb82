import { useId, useState } from 'preact/hooks';
import { useFormText } from '../../text/form-strings.ts';
import { fill } from '../../text/text.ts';

/** `minCharacters`: 0 if it may be empty. */
export function useNote(minCharacters: number) {
  const [value, setValue] = useState('');
  const [isShort, setShort] = useState(false);
  const words = value.trim();
  return {
    words,
    /** Otherwise says so, and moves the focus to it. */
    isLongEnough: (form: HTMLElement | null): boolean => {
      if (words.length >= minCharacters) return true;
      setShort(true);
      form?.querySelector('textarea')?.focus();
      return false;
    },
    field: {
      value,
      isRequired: minCharacters > 0,
      missing: isShort ? minCharacters : undefined,
      onChange: (next: string): void => {
        setValue(next);
        setShort(false);
      },
    },
  };
}

type NoteFieldProps = ReturnType<typeof useNote>['field'] & {
  label: string;
  rows: number;
  testId: string;
};

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
