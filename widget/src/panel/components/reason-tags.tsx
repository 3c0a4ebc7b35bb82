import type { FeedbackReason } from '@docent/shared/feedback';
import { useFormText } from '../../text/form-strings.ts';

interface ReasonTagsProps {
  legend: string;
  reasons: readonly Exclude<FeedbackReason, 'no_ticket'>[];
  chosen: readonly FeedbackReason[];
  onChange: (reasons: FeedbackReason[]) => void;
}

export function ReasonTags({ legend, reasons, chosen, onChange }: ReasonTagsProps) {
  const text = useFormText();
  return (
    <fieldset class="tags">
      <legend class="label">{legend}</legend>
      {reasons.map((reason) => (
        <label key={reason} class="tag">
          <input
            type="checkbox"
            data-testid={`docent-reason-${reason}`}
            checked={chosen.includes(reason)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...chosen, reason]
                  : chosen.filter((each) => each !== reason),
              )
            }
          />
          <span>{text[reason]}</span>
        </label>
      ))}
    </fieldset>
  );
}
