import type { GasBounds, Network } from './networks.ts'

const GWEI = 10n ** 9n

/**
 * Maximum gas of a payout, a keeper's distribution or an escrow order on an EVM network, without the gas for posting to
 * L1. The first distribution to 16 recipients takes less than 700,000 gas, so a higher estimate than the maximum
 * indicates a fault, and `indexer/relayer/to-relayer.ts` and `api/client/evm-keeper.ts` do not send the transaction.
 * Payments by signature have their own limit, `AUTHORIZATION_GAS` in `eip3009/plan-authorization.ts`.
 */
export const MAX_GAS = 2_000_000n

/**
 * Maximum price of a unit of gas, and maximum tip within this price, in wei of each network's coin.
 * `indexer/relayer/gas-fees.ts` applies these bounds. A replacement transaction may offer twice the maximum tip.
 *
 * Nodes report both prices and might lie. A maximum price above the base fee costs nothing, because the protocol sets
 * the base fee, but a tip is paid as offered. The bounds are our own estimates of November 2026. A payout to seven
 * recipients uses 220,000 gas (contracts/test/gas.t.sol), so a false tip costs cents, except on ethereum (two dollars)
 * and bnb (half a dollar, because its whole price is a tip). The bounds cover the most expensive hours so far; while
 * gas costs more, payouts wait. Posting to L1 has its own bound (data-fees.ts). TRON needs none: energy has a fixed
 * price, and each call has a fee limit.
 */
export const GAS_BOUNDS: Readonly<Record<Network, GasBounds | null>> = {
  // The base fee is nearly always far below 1 gwei; tips start at 0.001 gwei. Source: docs.optimism.io, "Fees".
  base: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  optimism: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  // The minimum tip is 25 gwei. In the future, the base fee will have this minimum instead. Source: PIP-59.
  polygon: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
  ethereum: { maxFeePerGasWei: 100n * GWEI, maxTipPerGasWei: 3n * GWEI },
  // The minimum is 0.01 gwei. Transactions run in order of arrival, without tips. Source: docs.arbitrum.io, "Gas".
  arbitrum: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 100n },
  // The minimum base fee has been 1 gwei since December 2024, and was 25 gwei before. Source: Avalanche's ACP-125.
  avalanche: { maxFeePerGasWei: 150n * GWEI, maxTipPerGasWei: 5n * GWEI },
  // The base fee is 0. Validators require at least 0.05 gwei (until 2024: 3). Source: docs.bnbchain.org, "Gas price".
  bnb: { maxFeePerGasWei: 10n * GWEI, maxTipPerGasWei: 3n * GWEI },
  tron: null,
  // In USDC with 18 decimals. The base fee is 20 to 20,000 gwei, nearly always 20. Source: Arc's mainnet genesis.
  arc: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
}

/**
 * Maximum cost of a payout without staked energy, in dollars. A smaller amount costs more to pay out than it is worth.
 * `null` for networks on which a payout costs cents.
 *
 * TRON: 700,000 energy at 100 sun and 1,200 bytes at 1,000 sun are 71.2 TRX
 * (indexer/relayer/tron/watch-tron-balance.ts), at 0.30 dollars (November 2026).
 */
export const PAYOUT_COSTS: Readonly<Record<Network, string | null>> = {
  base: null,
  optimism: null,
  polygon: null,
  ethereum: null,
  arbitrum: null,
  avalanche: null,
  bnb: null,
  tron: '22',
  arc: null,
}

/**
 * Default minimum of a payment by signature on each network, in dollars. Each payment costs us at most 200,000 gas.
 * `null` means that the configuration must set the minimum: on ethereum at 10 gwei, a payment costs about three
 * dollars, which no operator should pay by accident.
 */
export const AUTHORIZATION_MINIMUMS: Readonly<Record<Network, string | null>> = {
  base: '1',
  optimism: '1',
  polygon: '1',
  ethereum: null,
  arbitrum: '1',
  avalanche: '1',
  bnb: '1',
  tron: '1',
  arc: '1',
}
