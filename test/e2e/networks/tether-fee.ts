/**
 * The largest fee that TetherToken lets its owner set: less than 20 basis points, with a maximum below 50 tokens. The
 * cases pay too little to reach this maximum.
 *
 * @see TetherToken, `setParams`
 */
export const TETHER_FEE = { basisPoints: 19n, maximumTokens: 49n } as const
