import { type Pair, type PairKey, pairKey } from '../../../shared/domain/networks.ts'

/**
 * Returns the name of a token in the books: one per issuer, not per network. Names of upper-case letters need no quotes
 * in hledger, ledger and beancount.
 */
export function getCommodity(pair: Pair): string {
  return OTHER_ISSUERS[pairKey(pair)] ?? pair.token
}

/** Names of tokens that are not issued by Circle or Tether. */
const OTHER_ISSUERS: Readonly<Partial<Record<PairKey, string>>> = {
  'USDC/bnb': 'USDCBNB',
  'USDT/bnb': 'USDTBNB',
  'USDT/base': 'USDTBRIDGED',
  'USDT/optimism': 'USDTBRIDGED',
}

/** Fractional digits that reports should show, by name. */
export const COMMODITIES: Readonly<Record<string, number>> = {
  USDC: 6,
  USDT: 6,
  USDTBRIDGED: 6,
  USDCBNB: 18,
  USDTBNB: 18,
}
