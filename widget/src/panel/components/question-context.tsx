import { contextLimits } from '../../page-context/items.ts';
import { localeOf } from '../formats.ts';
import { useDeps } from '../deps.ts';
import { fill, useText } from '../../text/text.ts';
import { Chips } from './chips.tsx';
import { SparkIcon } from './icons.tsx';
import { Button } from './icon-button.tsx';

export const contextId = 'docent-context';

export function QuestionContext() {
  const deps = useDeps();
  const { context, isContextFull, session, draft, field, ask } = deps;
  const text = useText();
  const items = context.value;
  const last = items.at(-1);
  if (!last) return null;
  const { items: most, characters } = contextLimits;
  const note = isContextFull.value
    ? fill(text.contextFull, { count: most })
    : items.some(({ isCut }) => isCut) &&
      fill(text.contextCut, { count: characters.toLocaleString(localeOf(deps)) });
  const explain = last.type === 'code' ? text.explainCode : text.explainText;
  return (
    <div class="context">
      <Chips
        id={contextId}
        items={items}
        onRemove={(index) => {
          context.value = items.filter((_item, at) => at !== index);
          isContextFull.value = false;
        }}
        onLeave={() => field.current?.focus()}
      />
      <p class="context-note" role="status" data-testid="docent-context-note">
        {note}
      </p>
      {!draft.value && !session.isBusy.value && (
        <Button class="quick" testId="docent-explain" onClick={() => ask(explain)}>
          <SparkIcon />
          {explain}
        </Button>
      )}
    </div>
  );
}
