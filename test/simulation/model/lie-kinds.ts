import type { Address } from '../../../shared/domain/address.ts'

/** What one node can lie about. */
export const LIE_KINDS = [
  /** A payment of a charge, within a real transaction. */
  'adds payments',
  /** A payment of a charge, by a transaction that does not exist. */
  'invents payments',
  /** A distribution by a split, within a real transaction or by an invented one. */
  'adds distributions',
  'shrinks amounts',
  'enlarges amounts',
  'changes senders',
  /** Blocks dated past every deadline. */
  'dates ahead',
  'dates back',
  /** Other hashes for blocks that every other node has. */
  'forks',
  /** Blocks on top of the chain, enough to bury a payment. */
  'invents blocks',
  /** A head far above the chain, without the blocks below it. */
  'claims height',
  'hides balances',
  /** Every simulation reverts. */
  'reverts calls',
  /** A reverted transaction has succeeded. */
  'hides reverts',
] as const

export type LieKind = (typeof LIE_KINDS)[number]

/** A charge that a node lies about. */
export type Target = {
  readonly address: Address
  readonly splitAddress: Address
  readonly amountMicro: bigint
}

/** What a lie is made of. */
export type LieTerms = {
  readonly kinds: readonly LieKind[]
  /** The first block that the node lies about. */
  readonly fromNumber: number
  /** Lists the charges created so far; a block shown before a charge was created never names the charge. */
  readonly listTargets: () => readonly Target[]
  readonly tokens: readonly { readonly address: Address; readonly decimals: number }[]
}
