/** Filters that live in the address, so that a filtered list can be linked. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { toSearch } from '../api/client.ts';
import { Icon } from './icons.tsx';

/** `const filters = useFilters({ status: '', range: '7d' })`: names with the values that aren't written. */
export function useFilters<Name extends string>(
  defaults: Record<Name, string>,
): { values: Record<Name, string>; set: (changes: Partial<Record<Name, string>>) => void } {
  const { query, path, route } = useLocation();
  const names = Object.keys(defaults) as Name[];
  const values = Object.fromEntries(
    names.map((name) => [name, query[name] ?? defaults[name]]),
  ) as Record<Name, string>;
  const set = (changes: Partial<Record<Name, string>>) => {
    const next: Record<string, string> = { ...query, ...changes };
    for (const name of names) if (next[name] === defaults[name]) delete next[name];
    route(path + toSearch(next), true);
  };
  return { values, set };
}

export const Filters = ({ children }: { children: ComponentChildren }) => (
  <div class="filters" role="search">
    {children}
  </div>
);

export interface Option {
  value: string;
  label: string;
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

/** A menu of choices; its label is for readers of the screen, so the first choice names the filter: "All sites". */
export const Select = (props: ChoiceProps & { isDisabled?: boolean }) => (
  <select
    class="select"
    aria-label={props.label}
    value={props.value}
    disabled={props.isDisabled}
    onChange={({ currentTarget }) => {
      const wanted = currentTarget.value;
      // It shows what holds until the change is made, or refused.
      currentTarget.value = props.value;
      props.onChange(wanted);
    }}
  >
    {props.options.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
);

/** Few choices that are all visible. */
export function Segmented({ label, value, options, onChange }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class="unseen">{label}</legend>
      {options.map((one) => (
        <label key={one.value}>
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            onChange={() => onChange(one.value)}
          />
          <span>{one.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

const typingMs = 300;

/** Text to search for. It's passed on when the person pauses. */
export function SearchField({ label, value, onChange }: Omit<ChoiceProps, 'options'>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    // Something else changed the filter, such as the way back. What is being typed stays.
    if (input.current && document.activeElement !== input.current) input.current.value = value;
  }, [value]);
  return (
    <label class="search-field">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onChange(currentTarget.value.trim()), typingMs);
        }}
      />
    </label>
  );
}
