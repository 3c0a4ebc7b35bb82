// Sends a form with Ctrl+Enter, or Cmd+Enter on a Mac. Updates the page of a job: adds new log entries and
// refreshes the parts around the log. The service sends escaped HTML. Without this script, a reload shows the same.
const log = document.getElementById('log');
/** Parts around the log. */
const parts = ['head', 'side', 'changes'];
/** Events that change these parts. */
const changing = new Set([
  'todos',
  'step',
  'started',
  'pull-request',
  'completed',
  'failed',
  'cancel-requested',
]);
let waiting;
let ended = false;

document.addEventListener('keydown', (event) => {
  const { target } = event;
  const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing;
  if (!isSent || event.repeat || target.localName !== 'textarea') return;
  event.preventDefault();
  target.form?.requestSubmit();
});

if (log?.dataset.stream) {
  const address = new URL(log.dataset.stream, location.href);
  // The token of a shared link.
  address.search = location.search;
  address.searchParams.set('after', log.dataset.last);
  const source = new EventSource(address);
  source.addEventListener('message', ({ data }) => take(JSON.parse(data), source));
}

function take(piece, source) {
  const wasAtEnd = isAtEnd();
  if (piece.html !== undefined) put(piece);
  if (wasAtEnd) log.lastElementChild?.scrollIntoView({ block: 'nearest' });
  if (piece.type === 'completed' || piece.type === 'failed') {
    ended = true;
    // Otherwise the browser reconnects.
    source.close();
  }
  if (changing.has(piece.type)) renew();
}

function put({ html, isMoreText, call }) {
  const last = log.lastElementChild;
  if (isMoreText && last?.classList.contains('words')) last.insertAdjacentHTML('beforeend', html);
  else if (isMoreText) log.insertAdjacentHTML('beforeend', `<li class="words">${html}</li>`);
  else if (call !== undefined) {
    const calls = [...log.querySelectorAll('details[data-call]')];
    calls.findLast((each) => each.dataset.call === call)?.insertAdjacentHTML('beforeend', html);
  } else log.insertAdjacentHTML('beforeend', html);
}

/** Scrolls along only if the newest entry is visible. */
function isAtEnd() {
  const last = log.lastElementChild?.getBoundingClientRect();
  return last !== undefined && last.bottom <= innerHeight + 80 && last.bottom > 0;
}

/** Fetches the page again and replaces the parts around the log. At most once per second. */
function renew() {
  waiting ??= setTimeout(
    async () => {
      waiting = undefined;
      const isLast = ended;
      try {
        const text = await (await fetch(location.href.replace(/\bsaid=[\w-]+/, ''))).text();
        const fresh = new DOMParser().parseFromString(text, 'text/html');
        for (const id of parts) {
          const [old, young] = [document.getElementById(id), fresh.getElementById(id)];
          if (old && young && old.innerHTML !== young.innerHTML) old.replaceWith(young);
        }
        // A form that is in use stays.
        const [foot, next] = [document.getElementById('foot'), fresh.getElementById('foot')];
        const boxes = [...(foot?.querySelectorAll('textarea, input:not([type=hidden])') ?? [])];
        const isUsed =
          foot?.querySelector('details[open]') ||
          boxes.some((box) => box.value !== '' || box === document.activeElement);
        if (isLast && foot && next && !isUsed) foot.replaceWith(next);
        document.title = fresh.title || document.title;
      } catch {
        // The service can't be reached. The next event tries again.
      }
    },
    ended ? 0 : 600,
  );
}
