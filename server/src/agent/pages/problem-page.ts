import { type Html, markup } from './html.ts';

export function writeProblem(message: string): Html {
  return markup`<section class="card lone">
    <h1>This didn’t work</h1>
    <p>${message}</p>
  </section>`;
}

/** Pull requests and webhooks contain the plain address, so it needs a key. */
export function writeKeyForm(path: string, wasWrong: boolean, dashboard: string): Html {
  return markup`<section class="card lone">
    <h1>Sign in, or enter an admin key</h1>
    <p>
      This page belongs to a documentation project. <a href="${dashboard}">Sign in to the
      dashboard</a>, and open it again, or enter an admin key of its organization
      (<code>svc_…</code>).
    </p>
    ${wasWrong && markup`<p class="notice bad" role="alert">This key doesn’t open this page.</p>`}
    <form method="post" action="${path}" class="composer">
      <label for="key">Admin key</label
      ><input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" />
      <div class="buttons"><button class="primary">Open</button></div>
    </form>
  </section>`;
}
