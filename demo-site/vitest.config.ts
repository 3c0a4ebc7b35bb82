import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { name: 'demo-site', include: ['tests/**/*.test.ts'] } });
