/** What the releaser may do with an escrow's balance: send it on to the split, or back to the last payer. */
export const ESCROW_ACTIONS = ['release', 'refund'] as const

export type EscrowAction = (typeof ESCROW_ACTIONS)[number]
