import type { ComponentChildren } from 'preact';
import { Field } from '../../components/form.tsx';

interface RepositoryFieldProps {
  help: string;
  onInput?: (repository: string) => void;
  /** An `<option>` for each repository that's known. Others can be written. */
  children: ComponentChildren;
}

export const RepositoryField = ({ help, onInput, children }: RepositoryFieldProps) => (
  <>
    <Field name="repository" label="Repository" help={help}>
      <input
        required
        list="repositories"
        autoComplete="off"
        spellcheck={false}
        placeholder="acme/docs"
        onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
      />
    </Field>
    <datalist id="repositories">{children}</datalist>
  </>
);
