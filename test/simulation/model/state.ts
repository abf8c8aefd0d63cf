import type { Address, Hex } from '../../../shared/domain/address.ts'
import { ARC_USDC, COINS_PER_UNIT } from './arc.ts'

/** A log without its position in a block. */
export type Spoken = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** A Safe with one owner, and the number of transactions that it has executed. */
export type ModelSafe = { readonly owner: Address; readonly nonce: bigint }

/** State of a simulated chain after a block. */
export type State = {
  /** Balances, by `token/account`, in the units in which transfers are logged. */
  readonly balances: Map<string, bigint>
  /** Shares that splits hold, by `split/token/recipient`. */
  readonly held: Map<string, bigint>
  /** Accounts that an issuer allows neither to send nor to receive, as `token/account`. */
  readonly frozen: Set<string>
  /** Tokens that cannot be transferred. */
  readonly paused: Set<Address>
  readonly nonces: Map<Address, number>
  readonly safes: Map<Address, ModelSafe>
  /** Used nonces of authorizations, as `token/payer/nonce`. */
  readonly usedNonces: Set<string>
}

export function emptyState(): State {
  return {
    balances: new Map(),
    held: new Map(),
    frozen: new Set(),
    paused: new Set(),
    nonces: new Map(),
    safes: new Map(),
    usedNonces: new Set(),
  }
}

export function copyState(state: State): State {
  return {
    balances: new Map(state.balances),
    held: new Map(state.held),
    frozen: new Set(state.frozen),
    paused: new Set(state.paused),
    nonces: new Map(state.nonces),
    safes: new Map(state.safes),
    usedNonces: new Set(state.usedNonces),
  }
}

/** A contract has reverted a call. */
export class Reverted extends Error {
  readonly data: Hex

  constructor(data: Hex) {
    super('execution reverted')
    this.data = data
  }
}

/** Returns an account's balance of a token, in the token's atomic units. On Arc, it is rounded down to a unit. */
export function balanceIn(state: State, token: Address, account: Address): bigint {
  const balance = state.balances.get(`${token}/${account}`) ?? 0n
  return token === ARC_USDC ? balance / COINS_PER_UNIT : balance
}
