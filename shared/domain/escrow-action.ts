/** The releaser's actions on an escrow's balance: release it to the split, or refund it to the last payer. */
export const ESCROW_ACTIONS = ['release', 'refund'] as const

export type EscrowAction = (typeof ESCROW_ACTIONS)[number]
