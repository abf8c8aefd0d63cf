import type { EscrowAction } from '../../shared/domain/escrow-action.ts'

/** An order that a releaser signs and sends to the service. */
export type PlannedEscrowOrder = {
  /** Time after the creation of the charge. */
  readonly afterMs: number
  readonly action: EscrowAction
  /** Time from the signature until the order is sent, in which the Safe can change. */
  readonly thinksMs: number
  /** Time from the signature until a stranger submits the order to the chain; `null` for never. */
  readonly strangerAfterMs: number | null
  /** Whether a stranger sends dust to the Safe between the signature and the order. */
  readonly meetsDust: boolean
  /** Whether the releaser sends orders until the escrow has ended. Otherwise they make up to 4 attempts. */
  readonly isPersistent: boolean
}

/** Recipient of a releaser's direct transfer out of their Safe. */
export type DirectRecipient = 'split' | 'payer' | 'releaser' | 'safe'

/** A releaser's direct transfer of a part of a Safe's balances, on chain and without the service. */
export type PlannedMove = {
  /** Time after the creation of the charge. */
  readonly afterMs: number
  readonly to: DirectRecipient
  /** Part of the balance of each token, in thousandths. */
  readonly permille: number
}

/** Dust that a stranger sends to a charge: to its address, or to the split behind its Safe. */
export type PlannedDust = {
  /** Time after the creation of the charge, or, if negative, time before its deadline. */
  readonly afterMs: number
  readonly chainId: number
  readonly tokenIndex: number
  /** Whether the amount is one unit. Otherwise it is just below one percent of the charge's amount. */
  readonly isOneUnit: boolean
  readonly isToSplit: boolean
}

export type PlannedEscrow = {
  readonly orders: readonly PlannedEscrowOrder[]
  readonly moves: readonly PlannedMove[]
  /** Time from the charge's creation until a stranger distributes with the Safe as distributor; `null` for never. */
  readonly ownMoneyAfterMs: number | null
}

/** A plan's escrows and dust, each by the index of the charge. */
export type EscrowPlan = {
  readonly escrows: ReadonlyMap<number, PlannedEscrow>
  readonly dust: ReadonlyMap<number, readonly PlannedDust[]>
}
