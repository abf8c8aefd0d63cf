import type { Environment, PairKey } from '../../../shared/domain/networks.ts'
import type { TestToken } from '../deploy.ts'

/** Our contract that behaves like a real token, and the decimals of the real token. */
export type TokenBehaviour = Pick<TestToken, 'contract' | 'decimals'>

const CIRCLE: TokenBehaviour = { contract: 'TestUSDC', decimals: 6 }
/**
 * Names of Circle's tokens, which are part of the EIP-712 domain that payers sign for. Source: the tokens'
 * `DOMAIN_SEPARATOR()` (November 2026).
 */
const CIRCLE_NAMES: Readonly<Record<Environment, string>> = { live: 'USD Coin', test: 'USDC' }

/** Returns the name of the real token, or `null` if payers never sign for the token. */
export function nameOf({ contract }: TokenBehaviour, environment: Environment): string | null {
  return contract === 'TestUSDC' ? CIRCLE_NAMES[environment] : null
}

const USDT0: TokenBehaviour = { contract: 'TestUSDT0', decimals: 6 }
const BRIDGED: TokenBehaviour = { contract: 'TestToken', decimals: 6 }
const PEGGED: TokenBehaviour = { contract: 'TestToken', decimals: 18 }

/**
 * Behaviour of the real tokens, live and on testnets. Arc's USDC is excluded, because it is the native coin of the
 * local Arc node.
 *
 * This list is independent of the registry, so that tests fail if the registry has wrong decimals or restrictions.
 * Sources: circlefin/stablecoin-evm; TetherToken's verified source; LayerZero's USDT0 and Tether's
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
  // Tether on ethereum: `transfer` returns no value, and the owner may take a fee.
  'USDT/ethereum': { contract: 'TestUSDT', decimals: 6 },
  'USDC/arbitrum': CIRCLE,
  'USDT/arbitrum': USDT0,
  'USDC/avalanche': CIRCLE,
  'USDT/avalanche': USDT0,
  'USDC/bnb': PEGGED,
  'USDT/bnb': PEGGED,
}
