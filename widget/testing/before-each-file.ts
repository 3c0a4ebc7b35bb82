import { configure } from '@testing-library/preact';

// A condition may take its time where the machine is busy.
configure({ asyncUtilTimeout: 15_000 });

// The files of a worker share its page. Each begins on an empty one at the same address.
history.replaceState(null, '', '/docs/install');
document.title = '';
document.body.replaceChildren();
for (const element of [document.documentElement, document.body]) {
  for (const name of element.getAttributeNames()) element.removeAttribute(name);
}
localStorage.clear();
sessionStorage.clear();
