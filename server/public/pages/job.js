// Goes on where the page of a job ends: new entries of its log, and what stands around it. Everything
// arrives as markup that the service has escaped; without this script a reload shows the same.
const log = document.getElementById('log');
const around = ['head', 'side', 'changes'];
/** After these the rest of the page says something else. */
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

if (log?.dataset.stream) {
  const source = new EventSource(`${log.dataset.stream}&after=${log.dataset.last}`);
  source.addEventListener('message', ({ data }) => take(JSON.parse(data), source));
}

function take(piece, source) {
  const wasAtEnd = isAtEnd();
  if (piece.html !== undefined) put(piece);
  if (wasAtEnd) log.lastElementChild?.scrollIntoView({ block: 'nearest' });
  if (piece.type === 'completed' || piece.type === 'failed') {
    ended = true;
    // The stream of a job that has ended has no more to say.
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

/** Only who reads the newest entry is taken along. */
function isAtEnd() {
  const last = log.lastElementChild?.getBoundingClientRect();
  return last !== undefined && last.bottom <= innerHeight + 80 && last.bottom > 0;
}

/** Fetches the page again and takes over what stands around the log; at most once in a second. */
function renew() {
  waiting ??= setTimeout(
    async () => {
      waiting = undefined;
      const isLast = ended;
      try {
        const text = await (await fetch(location.href.replace(/&said=[\w-]+/, ''))).text();
        const fresh = new DOMParser().parseFromString(text, 'text/html');
        for (const id of around) {
          const [old, young] = [document.getElementById(id), fresh.getElementById(id)];
          if (old && young && old.innerHTML !== young.innerHTML) old.replaceWith(young);
        }
        // What somebody is writing stays.
        const [foot, next] = [document.getElementById('foot'), fresh.getElementById('foot')];
        const boxes = [...(foot?.querySelectorAll('textarea, input:not([type=hidden])') ?? [])];
        const isEmpty = boxes.every((box) => box.value === '' && box !== document.activeElement);
        if (isLast && foot && next && isEmpty) foot.replaceWith(next);
        document.title = fresh.title || document.title;
      } catch {
        // The service is away for a moment; the next event brings us here again.
      }
    },
    ended ? 0 : 600,
  );
}
