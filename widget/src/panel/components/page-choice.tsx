import { useId } from 'preact/hooks';
import type { ReportablePage } from '../reportable-pages.ts';
import { useFormText } from '../../text/form-strings.ts';
import { fill } from '../../text/text.ts';

interface PageChoiceProps {
  pages: readonly ReportablePage[];
  chosen: string;
  onChange: (path: string) => void;
}

export function PageChoice({ pages, chosen, onChange }: PageChoiceProps) {
  const text = useFormText();
  const name = useId();
  return (
    <fieldset class="pages">
      <legend class="label">{text.fixPage}</legend>
      {pages.map(({ path, title, isHere }) => (
        <label key={path} class="check">
          <input
            type="radio"
            name={name}
            data-testid="docent-feedback-page"
            value={path}
            checked={path === chosen}
            onChange={() => onChange(path)}
          />
          <span>
            {isHere ? fill(text.fixHere, { title }) : title}
            <span class="muted"> {path}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
