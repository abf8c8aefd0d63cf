import type { Address } from '../../../shared/domain/address.ts'

/** Arc's USDC as an ERC-20 token, with 6 decimals. Its balances are those of the native coin, which has 18. */
export const ARC_USDC = '0x3600000000000000000000000000000000000000' as Address
/** The address that emits Arc's log of every movement of its coin. */
export const ARC_EMITTER = '0xfffffffffffffffffffffffffffffffffffffffe' as Address
/** One unit of the token, in units of the coin. */
export const COINS_PER_UNIT = 10n ** 12n
/** Cost of every transaction whose nonce matters: 0.003 USDC. */
export const FEE = 3n * 10n ** 15n
/** Coins that the service's accounts have at first. */
export const FUNDS = 10n ** 20n
