/**
 * The largest fee that TetherToken grants its owner: fewer than 20 basis points, below 50 tokens. Amounts of
 * the cases are too small for the most that it may be. @see its `setParams`
 */
export const TETHER_FEE = { basisPoints: 19n, maximumTokens: 49n } as const
