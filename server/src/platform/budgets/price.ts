import type { Price } from '../config/model-config.ts';

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** Tokens and money, the latter in whole millionths of a US dollar, so that sums are exact. */
export interface Cost {
  tokens: number;
  microDollars: number;
}

export const nothing: Cost = { tokens: 0, microDollars: 0 };

/** Dollars for a million tokens are millionths of a dollar for one. Fractions are rounded up. */
export function costOf({ inputTokens, outputTokens }: Usage, price: Price | undefined): Cost {
  const micro = price
    ? inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion
    : 0;
  return {
    tokens: inputTokens + outputTokens,
    // 0.1 × 3 is a little above 0.3: such dust is not rounded up.
    microDollars: Math.ceil(Number(micro.toFixed(6))),
  };
}

export const sumOf = (one: Cost, other: Cost): Cost => ({
  tokens: one.tokens + other.tokens,
  microDollars: one.microDollars + other.microDollars,
});

export const toMicroDollars = (dollars: number) => Math.round(dollars * 1_000_000);
