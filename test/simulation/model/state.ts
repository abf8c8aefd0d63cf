import type { Address, Hex } from '../../../shared/domain/address.ts'

/** What a log says, before it has its place in a block. */
export type Spoken = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** All that a simulated chain remembers after a block; keys are `token/account`, or `split/token/recipient`. */
export type State = {
  readonly balances: Map<string, bigint>
  readonly held: Map<string, bigint>
  /** Whom an issuer lets neither send nor receive. */
  readonly frozen: Set<string>
  /** Tokens that nobody can move. */
  readonly paused: Set<Address>
  readonly nonces: Map<Address, number>
}

/** Answers that of a chain on which nothing has happened. */
export function emptyState(): State {
  return {
    balances: new Map(),
    held: new Map(),
    frozen: new Set(),
    paused: new Set(),
    nonces: new Map(),
  }
}

/** Answers one that can be changed without the other. */
export function copyState(state: State): State {
  return {
    balances: new Map(state.balances),
    held: new Map(state.held),
    frozen: new Set(state.frozen),
    paused: new Set(state.paused),
    nonces: new Map(state.nonces),
  }
}

/** A contract has refused a call. */
export class Reverted extends Error {
  readonly data: Hex

  constructor(data: Hex) {
    super('execution reverted')
    this.data = data
  }
}

/** Answers what an account has of a token, in its atomic units. */
export function balanceIn(state: State, token: Address, account: Address): bigint {
  return state.balances.get(`${token}/${account}`) ?? 0n
}
