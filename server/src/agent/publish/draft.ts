import type { ProjectConfig } from '../../platform/config/project-config.ts';
import type { Review } from '../workspace/review.ts';

export interface DraftInput {
  /** The project's. */
  policy: ProjectConfig['draft'];
  /** `asDraft` of the request. */
  wish: boolean;
  review: Pick<Review, 'needsDraft'>;
  /** Checks failed, and the project publishes all the same. */
  hasFailedChecks: boolean;
}

/**
 * Whether the pull request is a draft. A function of settings, of the request and of the bytes of the
 * change: nothing that a model says comes in. `never` is for hosts and teams without drafts; what has to
 * be looked at then stands at the top of the description.
 */
export function isDraftPull({ policy, wish, review, hasFailedChecks }: DraftInput): boolean {
  if (policy === 'always') return true;
  if (policy === 'never') return false;
  return wish || review.needsDraft || hasFailedChecks;
}
