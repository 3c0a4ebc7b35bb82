/** Asks for the person's password, which whoever sits at somebody's open browser doesn't know. */
import { session } from '../session.ts';
import { Field, textOf } from './form.tsx';

export function OwnPassword() {
  return (
    session.value?.person?.hasPassword && (
      <Field name="password" label="Password">
        <input required type="password" autoComplete="current-password" />
      </Field>
    )
  );
}

export function passwordAndCode(data: FormData) {
  const password = data.get('password');
  return { code: textOf(data, 'code'), ...(password !== null && { password }) };
}
