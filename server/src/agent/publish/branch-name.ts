import { trimOf } from '../../platform/text.ts';
import anyAscii from 'any-ascii';
import { branchNameMistake } from '../../platform/config/repository-address.ts';
import { redact } from '../../platform/redaction/redact.ts';

const maxSlug = 40;
const idLength = 8;

/** `docent/fix-the-install-page-7k3m9q2x`: the same for the same job, and never that of another. */
export function branchName(prefix: string, prompt: string, jobId: string): string {
  const id = slugOf(jobId).replaceAll('-', '').slice(-idLength) || 'job';
  const name = `${prefix}${promptSlug(prompt)}-${id}`;
  // A prefix out of the configuration has been checked; one from elsewhere must not make a bad name.
  return branchNameMistake(name) === undefined ? name : `docent/${promptSlug(prompt)}-${id}`;
}

/** Words of the instruction, in letters that every host and shell takes. */
function promptSlug(prompt: string): string {
  // A branch's name is public: what must not be kept must not stand in it either.
  const words = redact(prompt.slice(0, 2000))
    .replace(/https?:\/\/\S+/g, ' ')
    .slice(0, 400);
  const slug = slugOf(words);
  if (slug === '') return 'docs';
  if (slug.length <= maxSlug) return slug;
  const cut = slug.slice(0, maxSlug + 1);
  const end = cut.lastIndexOf('-');
  return end > maxSlug / 2 ? cut.slice(0, end) : slug.slice(0, maxSlug);
}

function slugOf(text: string): string {
  const dashed = anyAscii(text.normalize('NFC'))
    .toLowerCase()
    .replace(/['`]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return trimOf(dashed, '-');
}
