import type { Environment, PairKey } from '../../../shared/domain/networks.ts'
import type { TestToken } from '../deploy.ts'

/** Which contract of ours behaves as a real token does, and with which decimals that one was deployed. */
export type TokenBehaviour = Pick<TestToken, 'contract' | 'decimals'>

const CIRCLE: TokenBehaviour = { contract: 'TestUSDC', decimals: 6 }
/** What Circle's are called, with which they are signed for. Source: reads of their `DOMAIN_SEPARATOR()` (November 2026). */
const CIRCLE_NAMES: Readonly<Record<Environment, string>> = { live: 'USD Coin', test: 'USDC' }

/** Answers what a token is to be called in place of what ours is; `null`: nobody is asked to sign for it. */
export function nameOf({ contract }: TokenBehaviour, environment: Environment): string | null {
  return contract === 'TestUSDC' ? CIRCLE_NAMES[environment] : null
}

const USDT0: TokenBehaviour = { contract: 'TestUSDT0', decimals: 6 }
const BRIDGED: TokenBehaviour = { contract: 'TestToken', decimals: 6 }
const PEGGED: TokenBehaviour = { contract: 'TestToken', decimals: 18 }

/**
 * How the real tokens behave, live and on testnets; Arc's USDC is the coin of its own local node.
 *
 * Told apart from the registry on purpose: what that says wrongly of decimals or of who is restricted fails on such a
 * token. Sources: circlefin/stablecoin-evm; TetherToken's verified source; LayerZero's USDT0 and Tether's
 * WithBlockedList.sol; the OP stack's standard bridge; Binance's pegged tokens (all read in November 2026).
 */
export const TOKEN_BEHAVIOURS: Partial<Record<PairKey, TokenBehaviour>> = {
  'USDC/base': CIRCLE,
  'USDT/base': BRIDGED,
  'USDC/optimism': CIRCLE,
  'USDT/optimism': BRIDGED,
  'USDC/polygon': CIRCLE,
  'USDT/polygon': USDT0,
  'USDC/ethereum': CIRCLE,
  // The first Tether: it answers nothing, and its owner may take a fee.
  'USDT/ethereum': { contract: 'TestUSDT', decimals: 6 },
  'USDC/arbitrum': CIRCLE,
  'USDT/arbitrum': USDT0,
  'USDC/avalanche': CIRCLE,
  'USDT/avalanche': USDT0,
  'USDC/bnb': PEGGED,
  'USDT/bnb': PEGGED,
}
