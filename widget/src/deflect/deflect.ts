/**
 * Beside a support form of the page: offers what the documentation says, before the reader sends a message. It
 * never touches the form, and nothing that the reader writes leaves the page until they press the button.
 */
import type { DocentEvents } from '../embed/events.ts';
import type { PageHost } from '../loader/page-hints.ts';
import { createOfferText } from '../page-context/offer-text.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';
import css from '../styles/deflect.css?inline';
import paletteCss from '../styles/palette.css?inline';
import { deflectStrings } from '../text/deflect-strings.ts';

/** A shorter text is no question yet. */
const minCharacters = 12;
const maxCharacters = 2_000;
/** The reader pauses. */
const pauseMs = 600;

type Field = HTMLInputElement | HTMLTextAreaElement;
type State = 'offered' | 'asked' | 'answered' | 'unanswered' | 'solved';

const begun = new WeakSet<PageHost>();

/** Begins once; the loader calls it each time that a reader enters a field of the form. */
export async function start(page: PageHost): Promise<void> {
  if (begun.has(page)) return;
  begun.add(page);
  const { shadow, settings, signal, want } = page;
  const text = await createOfferText(page, deflectStrings);
  if (signal.aborted) return;
  const element = document.createElement('docent-deflect');
  const root = element.attachShadow({ mode: 'open' });
  const box = document.createElement('div');
  const words = document.createElement('p');
  const buttons = document.createElement('div');
  box.dataset['testid'] = 'docent-deflect';
  words.setAttribute('role', 'status');
  words.tabIndex = -1;
  box.append(words, buttons);
  root.append(box);
  let state: State | undefined;
  let asked = '';
  let answer = '';
  let isListening = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fields = (): Field[] =>
    [...document.querySelectorAll<Field>(settings().deflect ?? '')].filter(
      (field) => 'value' in field && field.type !== 'password',
    );
  const written = () =>
    fields()
      .map(({ value }) => value.trim())
      .filter(Boolean)
      .join('\n')
      .slice(0, maxCharacters);

  const button = (name: 'ask' | 'yes' | 'no', press: () => void) => {
    const { deflectAsk, deflectYes, deflectNo } = text.now;
    const made = document.createElement('button');
    made.type = 'button';
    made.className = name === 'no' ? '' : 'main';
    made.dataset['testid'] = `docent-deflect-${name}`;
    made.textContent = { ask: deflectAsk, yes: deflectYes, no: deflectNo }[name];
    made.onclick = press;
    return made;
  };
  const solve = () => {
    want('solved', answer);
    show('solved');
    words.focus();
  };
  const goOn = () => {
    show(undefined);
    fields().at(-1)?.focus();
  };
  const draw = () => {
    box.hidden = !state;
    words.textContent = state ? text.now[`${state}Text`] : '';
    buttons.replaceChildren();
    if (state === 'offered') buttons.append(button('ask', ask));
    if (state === 'asked') buttons.append(button('ask', () => want('open')));
    if (state === 'answered') buttons.append(button('yes', solve), button('no', goOn));
  };
  const show = (next: State | undefined) => {
    state = next;
    draw();
  };
  const ask = () => {
    asked = written();
    if (!isListening) want('on', 'answer', onAnswer);
    isListening = true;
    show('asked');
    want('reset');
    want('ask', asked);
  };
  // An answer that asks back has no status: the reader's choice is answered next.
  const onAnswer = ({ messageId, status }: DocentEvents['answer']) => {
    if (state !== 'asked' || !status) return;
    answer = messageId;
    show(status === 'answered' ? 'answered' : 'unanswered');
  };
  const look = () => {
    const now = written();
    if (now === asked || !shadow.host.isConnected) return;
    const field = fields().at(-1);
    // A label would name its field with our words.
    const last = field?.closest('label') ?? field;
    if (now.length < minCharacters || !last) return show(undefined);
    if (element.previousElementSibling !== last) last.after(element);
    if (state !== 'offered') show('offered');
  };

  const host = shadow.host as HTMLElement;
  let removeColors = () => {};
  /** What the widget looks like: its theme, and the owner's color and font. */
  const dress = () => {
    const { lang, dir, dataset } = host;
    Object.assign(element, { lang, dir });
    element.dataset['theme'] = dataset['theme'];
    const style = getComputedStyle(host);
    const own = ['accent', 'on-accent', 'font'].map((name) => {
      const value = style.getPropertyValue(`--docent-${name}`);
      return value && `--docent-${name}:${value};`;
    });
    removeColors();
    removeColors = adoptStyles(root, `:host{${own.join('')}}`);
  };
  adoptStyles(root, paletteCss + css);
  const observer = new MutationObserver(dress);
  observer.observe(host, { attributeFilter: ['data-theme', 'lang', 'dir'] });
  dress();
  text.watch(draw);
  document.addEventListener(
    'input',
    ({ target }) => {
      if (!fields().includes(target as Field)) return;
      clearTimeout(timer);
      timer = setTimeout(look, pauseMs);
    },
    { signal },
  );
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    observer.disconnect();
    element.remove();
  });
  look();
}
