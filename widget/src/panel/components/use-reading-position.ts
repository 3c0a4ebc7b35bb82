import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Nearer than this to the end counts as being there. */
const nearPx = 40;
/** Room above a question that stands at the top. */
const abovePx = 12;

/**
 * What a growing conversation does. `reading`: the newest question moves up with its answer until it
 * is at the top, and stays there, so that an answer is read from its beginning. `end`: the reader went
 * to the end, which stays in sight. `free`: the reader is somewhere else, and nothing moves.
 */
type Mode = 'reading' | 'end' | 'free';

interface Conversation {
  /** Something was added or taken away; what only grows is seen by itself. */
  changes: unknown;
  /** How many questions there are: one's own new question is always shown. */
  questions: number;
  /** There is something at the end that must be seen, such as an error. */
  needsEnd: boolean;
}

/** Keeps the right part of a conversation in sight. `isMore`: there is more below what is seen. */
export function useReadingPosition({ changes, questions, needsEnd }: Conversation) {
  const scroller = useRef<HTMLDivElement>(null);
  const mode = useRef<Mode>('reading');
  const ownTop = useRef(0);
  const [isMore, setMore] = useState(false);

  const look = () => {
    const node = scroller.current;
    if (node) setMore(node.scrollHeight - node.scrollTop - node.clientHeight > nearPx);
  };
  const place = () => {
    const node = scroller.current;
    if (!node) return;
    const end = node.scrollHeight - node.clientHeight;
    // The reader's wheel moved it up, and its event has not come yet: it must not be undone.
    if (node.scrollTop < Math.min(ownTop.current, end) - 1) mode.current = 'free';
    if (mode.current !== 'free') {
      const top = mode.current === 'end' ? end : Math.min(end, topOfQuestion(node));
      // To write it, even with no change, has the browser lay out the page once more.
      if (Math.abs(top - node.scrollTop) > 0.5) node.scrollTop = top;
      ownTop.current = node.scrollTop;
    }
    look();
  };
  const onScroll = () => {
    const node = scroller.current;
    if (!node) return;
    const isReaders = Math.abs(node.scrollTop - ownTop.current) > 1;
    const isAtEnd = node.scrollHeight - node.scrollTop - node.clientHeight < nearPx;
    // On the way up the first steps are near the end still.
    const isDown = node.scrollTop > ownTop.current;
    if (isReaders) mode.current = isAtEnd && isDown ? 'end' : 'free';
    ownTop.current = node.scrollTop;
    look();
  };
  const go = (to: Mode) => {
    mode.current = to;
    ownTop.current = 0;
    place();
  };
  useLayoutEffect(() => go('reading'), [questions]);
  useLayoutEffect(() => {
    if (needsEnd) go('end');
  }, [needsEnd]);
  // The answer grows, the composer grows, the window turns, the panel opens. An observer is called
  // after the browser has laid out the page: to ask for sizes then costs nothing.
  useEffect(() => {
    const node = scroller.current;
    if (!node || typeof ResizeObserver !== 'function') return undefined;
    const observer = new ResizeObserver(place);
    observer.observe(node);
    for (const part of [...node.children].slice(-2)) observer.observe(part);
    return () => observer.disconnect();
  }, [changes]);
  // A wheel or a finger says what its reader wants before anything has moved.
  useEffect(() => {
    const node = scroller.current;
    if (!node) return undefined;
    const gone = new AbortController();
    const options = { passive: true, signal: gone.signal };
    const letGo = () => (mode.current = 'free');
    node.addEventListener('wheel', ({ deltaY }) => void (deltaY < 0 && letGo()), options);
    node.addEventListener('touchmove', letGo, options);
    return () => gone.abort();
  }, []);
  return { scroller, onScroll, isMore, toEnd: () => go('end') };
}

/** Where the last question would stand at the top. */
function topOfQuestion(scroller: HTMLElement): number {
  const question = [...scroller.querySelectorAll('.question')].at(-1);
  if (!question) return 0;
  const offset = question.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  return Math.max(0, scroller.scrollTop + offset - abovePx);
}
