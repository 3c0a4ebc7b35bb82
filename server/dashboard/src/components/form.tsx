/** Forms with native fields. They keep what was typed when the service refuses it, and say why. */
import { type ComponentChildren, cloneElement, createContext, type JSX, type VNode } from 'preact';
import { useContext, useId, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

interface Problems {
  /** By field. */
  fields: Record<string, string>;
  form?: string;
}

type Check = (value: string) => string;

interface FormContext {
  problems: Problems;
  checks: Map<string, Check>;
}

const Context = createContext<FormContext>({ problems: { fields: {} }, checks: new Map() });

interface FormProps {
  /** Rejects with an `ApiError` to show it. Its details go to the fields with their names. */
  onSubmit: (data: FormData) => Promise<unknown>;
  submit: string;
  onCancel?: () => void;
  isDanger?: boolean;
  /** Beside the buttons. */
  aside?: ComponentChildren;
  children?: ComponentChildren;
}

export function Form({ onSubmit, submit, onCancel, isDanger, aside, children }: FormProps) {
  const [problems, setProblems] = useState<Problems>({ fields: {} });
  const [isSending, setSending] = useState(false);
  const checks = useRef(new Map<string, Check>()).current;
  const form = useRef<HTMLFormElement>(null);

  function show(found: Problems) {
    setProblems(found);
    const [first] = Object.keys(found.fields);
    if (first) requestAnimationFrame(() => focusField(form.current, first));
  }

  async function send(event: Event) {
    event.preventDefault();
    const element = form.current;
    if (!element || isSending) return;
    const fields = findProblems(element, checks);
    if (Object.keys(fields).length > 0) return show({ fields });
    setSending(true);
    setProblems({ fields: {} });
    try {
      await onSubmit(new FormData(element));
    } catch (error) {
      show(problemsOf(error, element));
    } finally {
      setSending(false);
    }
  }

  return (
    <Context.Provider value={{ problems, checks }}>
      <form ref={form} class="form" noValidate onSubmit={(event) => void send(event)}>
        {children}
        <div class="form-foot">
          {problems.form !== undefined && (
            <p class="notice bad" role="alert">
              {problems.form}
            </p>
          )}
          {aside}
          {onCancel && (
            <button type="button" class="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <button
            type="submit"
            class={isDanger ? 'button danger' : 'button primary'}
            aria-busy={isSending}
          >
            {submit}
          </button>
        </div>
      </form>
    </Context.Provider>
  );
}

type Control = JSX.IntrinsicElements['input'];

interface FieldProps {
  name: string;
  label: ComponentChildren;
  help?: ComponentChildren;
  /** One sentence if the value is wrong, or nothing. */
  check?: Check;
  /** One `<input>`, `<select>`, or `<textarea>`. */
  children: VNode<Control>;
}

export function Field({ name, label, help, check, children }: FieldProps) {
  const { problems, checks } = useContext(Context);
  const id = useId();
  const problem = problems.fields[name];
  if (check) checks.set(name, check);
  const isTick = children.props.type === 'checkbox';
  const control = cloneElement(children, {
    id,
    name,
    'aria-describedby': `${id}-help`,
    'aria-invalid': problem !== undefined,
  } as Control);
  return (
    <div class={isTick ? 'field tick' : 'field'}>
      <label for={id}>{label}</label>
      {control}
      <div id={`${id}-help`} class="field-help">
        {problem !== undefined && <p class="bad">{sentence(label, problem)}</p>}
        {help && <p>{help}</p>}
      </div>
    </div>
  );
}

/** The service's details go on from the name of the field: "must be a string". */
const sentence = (label: ComponentChildren, problem: string): string =>
  typeof label === 'string' && /^\p{Ll}/u.test(problem)
    ? `${label} ${problem.replace(/\.?$/, '.')}`
    : problem;

/** What was typed into a field, without spaces around it. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function findProblems(form: HTMLFormElement, checks: Map<string, Check>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const element of form.elements) {
    if (
      !(element instanceof HTMLInputElement) &&
      !(element instanceof HTMLTextAreaElement) &&
      !(element instanceof HTMLSelectElement)
    )
      continue;
    const problem = element.validationMessage || checks.get(element.name)?.(element.value);
    if (problem) found[element.name] ??= problem;
  }
  return found;
}

function problemsOf(error: unknown, form: HTMLFormElement): Problems {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return { fields: {}, form: 'This failed. Try again.' };
  }
  const known = error.details.filter(({ path }) => form.elements.namedItem(path) !== null);
  const fields = Object.fromEntries(known.map(({ path, message }) => [path, message]));
  return known.length > 0 && known.length === error.details.length
    ? { fields }
    : { fields, form: error.message };
}

function focusField(form: HTMLFormElement | null, name: string): void {
  const found = form?.elements.namedItem(name);
  const element = found instanceof RadioNodeList ? found[0] : found;
  if (element instanceof HTMLElement) element.focus();
}
