/**
 * Imported before the chat SDK: it builds zod schemas while it loads, and zod then tries out `eval`,
 * which a strict Content-Security-Policy reports as a violation.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
