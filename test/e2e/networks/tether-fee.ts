/**
 * The largest fee that TetherToken allows its owner: less than 20 basis points, and less than 50 tokens. The amounts of
 * the cases are too small to reach the maximum in tokens.
 *
 * @see TetherToken, `setParams`
 */
export const TETHER_FEE = { basisPoints: 19n, maximumTokens: 49n } as const
