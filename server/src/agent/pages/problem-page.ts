import { type Html, markup } from './html.ts';

export function writeProblem(message: string): Html {
  return markup`<section class="card lone">
    <h1>This didn’t work</h1>
    <p>${message}</p>
  </section>`;
}

interface SignInOptions {
  /** Where to sign in. `undefined`: not at this address. */
  dashboard: string | undefined;
  /** The path to return to, below `/projects`. */
  page: string;
  /** Whoever is signed in belongs to this one, and the page doesn't. */
  organization: string | undefined;
  /** The address has the token of a shared link. */
  hasToken: boolean;
}

export function writeSignIn({ dashboard, page, organization, hasToken }: SignInOptions): Html {
  return markup`<section class="card lone">
    <h1>${organization === undefined ? 'Sign in to open this page' : 'This page belongs elsewhere'}</h1>
    ${hasToken && markup`<p class="notice bad" role="alert">This link has expired, was revoked, or opens another page.</p>`}
    ${
      organization === undefined
        ? markup`<p>It’s for people with an account in the organization of this project.</p>`
        : markup`<p>You’re signed in to the organization <strong>${organization}</strong>, which has no such page. If you have several organizations, choose another one in the dashboard, and open this address again.</p>`
    }
    ${
      dashboard === undefined
        ? markup`<p>Nobody can sign in at this address. If your team has a dashboard, open the page from there.</p>`
        : organization === undefined
          ? markup`<p><a class="button primary" href="${dashboard}/projects${page}">Sign in</a></p>`
          : markup`<p><a class="button primary" href="${dashboard}">Open the dashboard</a></p>`
    }
    <p class="quiet">Without an account, you can read a job or a pull request by a shared link. Ask somebody with an account for one.</p>
  </section>`;
}
