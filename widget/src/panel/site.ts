/** Information about the site. */
import { clip, readJson, toQuestions } from '../chat/limits.ts';
import { isRecord } from '../chat/message.ts';
import type { Service } from '../chat/service.ts';
import { warn } from '../loader/warn.ts';

export interface SiteInfo {
  name: string | undefined;
  starterQuestions: string[];
  /** Missing if the site accepts no reports. */
  pageReports?: { createJobs: 'after-review' | 'at-once'; minNoteCharacters: number } | undefined;
  /** How readers reach people: by this address, or by a form if it's empty. Missing: not at all. */
  handOver?: string | undefined;
}

const maxStarters = 4;
const maxName = 80;
/** The maximum length of a note. */
const maxNoteCharacters = 1000;

/** Never rejects. Without a reply, there are no starter questions. */
export async function loadSite(service: Service, signal: AbortSignal): Promise<SiteInfo> {
  const nothing: SiteInfo = { name: undefined, starterQuestions: [] };
  try {
    const response = await service.call('/discovery/v1/site', { signal });
    const body = await readJson(response);
    if (!isRecord(body)) return nothing;
    if (!response.ok) {
      warn(
        `the service does not know this page (${response.status}): ${clip(String(body['error']), 500)} ` +
          'Check data-site, data-key and the allowed origins of the site.',
      );
      return nothing;
    }
    const { name, starterQuestions, pageReports, handOver } = body;
    return {
      name: typeof name === 'string' && name ? clip(name, maxName) : undefined,
      starterQuestions: toQuestions(starterQuestions, maxStarters),
      pageReports: toPageReports(pageReports),
      handOver: toHandOver(handOver),
    };
  } catch {
    return nothing; // Away or blocked; the first question will say so in words.
  }
}

function toHandOver(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { url = '' } = value;
  return typeof url === 'string' && /^(https?:|$)/.test(url) ? url : undefined;
}

function toPageReports(value: unknown): SiteInfo['pageReports'] {
  if (!isRecord(value)) return undefined;
  const { createJobs, minNoteCharacters } = value;
  if (createJobs !== 'after-review' && createJobs !== 'at-once') return undefined;
  return {
    createJobs,
    minNoteCharacters: Math.min(Number(minNoteCharacters) || 0, maxNoteCharacters),
  };
}
