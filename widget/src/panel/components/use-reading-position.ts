import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const nearPx = 40;
const abovePx = 12;

/**
 * `reading`: the newest question moves to the top and stays there, so that the reader reads its
 * answer from the beginning. `end`: the end stays visible. `free`: nothing moves.
 */
type Mode = 'reading' | 'end' | 'free';

interface Conversation {
  /** Changes if something was added or removed. Growth is observed. */
  changes: unknown;
  /** The number of questions. A new one is always shown. */
  questions: number;
  /** Something at the end must be visible, such as an error. */
  needsEnd: boolean;
}

/** Keeps the right part of a conversation visible. `isMore`: there is more below. */
export function useReadingPosition({ changes, questions, needsEnd }: Conversation) {
  const scroller = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const mode = useRef<Mode>('reading');
  const ownTop = useRef(0);
  const [isMore, setMore] = useState(false);

  const place = () => {
    const node = scroller.current;
    if (!node) return;
    const max = node.scrollHeight - node.clientHeight;
    // The reader has scrolled up, and the event hasn't arrived yet. Don't undo it.
    if (node.scrollTop < Math.min(ownTop.current, max) - 1) mode.current = 'free';
    if (mode.current !== 'free') {
      const top = mode.current === 'end' ? max : Math.min(max, topOfQuestion(node));
      // Writing the same value would still cause a layout.
      if (Math.abs(top - node.scrollTop) > 0.5) node.scrollTop = top;
      ownTop.current = node.scrollTop;
    }
  };
  const onScroll = () => {
    const node = scroller.current;
    if (!node) return;
    const isReaders = Math.abs(node.scrollTop - ownTop.current) > 1;
    const isAtEnd = node.scrollHeight - node.scrollTop - node.clientHeight < nearPx;
    // The first steps up are still near the end.
    const isDown = node.scrollTop > ownTop.current;
    if (isReaders) mode.current = isAtEnd && isDown ? 'end' : 'free';
    ownTop.current = node.scrollTop;
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
  // An observer runs after the layout, so reading sizes is free.
  useEffect(() => {
    const node = scroller.current;
    if (!node || typeof ResizeObserver !== 'function') return undefined;
    const observer = new ResizeObserver(place);
    observer.observe(node);
    // The last one marks the end.
    for (const child of [...node.children].slice(-3, -1)) observer.observe(child);
    return () => observer.disconnect();
  }, [changes]);
  useEffect(() => {
    if (!end.current || typeof IntersectionObserver !== 'function') return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        // In a closed panel, nothing has a width.
        for (const { isIntersecting, boundingClientRect } of entries)
          setMore(!isIntersecting && boundingClientRect.width > 0);
      },
      // The scroller's padding below the end adds as much.
      { root: scroller.current, rootMargin: `${nearPx / 2}px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  // A wheel or a finger tells the direction before anything moves.
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
  return { scroller, end, onScroll, isMore, toEnd: () => go('end') };
}

function topOfQuestion(scroller: HTMLElement): number {
  const question = [...scroller.querySelectorAll('.question')].at(-1);
  if (!question) return 0;
  const offset = question.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  return Math.max(0, scroller.scrollTop + offset - abovePx);
}
