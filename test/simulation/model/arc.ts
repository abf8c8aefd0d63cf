import type { Address } from '../../../shared/domain/address.ts'

/** Arc's USDC as an ERC-20 token, with 6 decimals. Its balances are those of the native coin, which has 18. */
export const ARC_USDC = '0x3600000000000000000000000000000000000000' as Address
/** Emitter of the logs of all transfers of Arc's coin. */
export const ARC_EMITTER = '0xfffffffffffffffffffffffffffffffffffffffe' as Address
/** Number of the coin's smallest units in one smallest unit of the token. */
export const COINS_PER_UNIT = 10n ** 12n
/** Fee of a transaction whose nonce is modelled: 0.003 USDC. A transaction with the nonce `null` pays none. */
export const FEE = 3n * 10n ** 15n
/** Initial balance of each account of the service: 100 USDC. */
export const FUNDS = 10n ** 20n
