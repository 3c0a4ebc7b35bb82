/** The libraries that speak to GitHub, together, as they are loaded at once. */
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import Bottleneck from 'bottleneck';

export { createAppAuth } from '@octokit/auth-app';

/**
 * Writes of one repository in this process. The plugin's own pace, one write a second, is meant for
 * hundreds of them; a job makes four. GitHub allows an account eighty a minute.
 */
const pace = {
  maxConcurrent: 1,
  reservoir: 40,
  reservoirRefreshAmount: 40,
  reservoirRefreshInterval: 60_000,
};
export const write = new Bottleneck.Group(pace);
export const notifications = new Bottleneck.Group(pace);

export const Client = Octokit.plugin(throttling, retry);
