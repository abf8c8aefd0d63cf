import type { Address } from '../../../shared/domain/address.ts'
import type { ModelToken } from './calls.ts'

/** The kinds of false responses that a node can give. */
export const LIE_KINDS = [
  /** Shows a payment to a charge in a real transaction. */
  'adds payments',
  /** Shows a payment to a charge, in a real or an invented transaction, and in the charge's balance at that block. */
  'invents payments',
  /** Shows a distribution by a split, in a real or an invented transaction. */
  'adds distributions',
  'shrinks amounts',
  'enlarges amounts',
  'changes senders',
  /** Shifts block timestamps an hour forward, past every deadline. */
  'dates ahead',
  'dates back',
  /** Shows a wrong hash for every block. */
  'forks',
  /** Shows more blocks on top of the chain, enough to confirm a payment. */
  'invents blocks',
  /** Shows a head far above the chain, without the blocks below it. */
  'claims height',
  'hides balances',
  /** Reverts every `eth_call` and `eth_estimateGas`, except calls of tokens and of Multicall3. */
  'reverts calls',
  /** Shows reverted transactions as successful. */
  'hides reverts',
] as const

export type LieKind = (typeof LIE_KINDS)[number]

/** A charge that a node lies about. */
export type Target = {
  readonly address: Address
  readonly splitAddress: Address
  readonly amountMicro: bigint
}

export type LieTerms = {
  readonly kinds: readonly LieKind[]
  /** The first block that the node lies about. */
  readonly fromNumber: number
  /**
   * Lists the charges created so far. Lies about a block never change, so a block shown before a charge existed never
   * pays the charge.
   */
  readonly listTargets: () => readonly Target[]
  readonly tokens: readonly Pick<ModelToken, 'address' | 'decimals' | 'emitter'>[]
}
