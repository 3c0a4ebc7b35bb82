import type { Translation } from '../load-language.ts';

export const translation: Translation = {};
