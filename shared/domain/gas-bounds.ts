import type { GasBounds, Network } from './networks.ts'

const GWEI = 10n ** 9n

/**
 * Maximum gas of a payout or an escrow order on an EVM network, without the data fee. The first distribution to 16
 * recipients takes less than 700,000 gas, so an estimate above the maximum indicates a fault, and
 * `indexer/relayer/to-relayer.ts` does not send the transaction. A payment by signature
 * has its own limit: `AUTHORIZATION_GAS` in `eip3009/plan-authorization.ts`.
 */
export const MAX_GAS = 2_000_000n

/**
 * Maximum price of a unit of gas, and the maximum tip in it, in wei of each network's coin.
 * `indexer/relayer/gas-fees.ts` applies these bounds. A replacement that cancels a transaction may offer twice as much.
 *
 * Nodes report both prices and might lie. The protocol sets the base fee, so a maximum above it costs nothing, but a
 * tip is paid as offered. The maximum is our own estimate of November 2026. A payout to seven recipients uses 220,000
 * gas (.gas-snapshot), so a false report costs at most cents (on bnb half a dollar, because its whole price is a tip).
 * The maximum still covers the most expensive hours so far; while gas costs more, payouts wait. The cost of posting to
 * L1 has its own bound (data-fees.ts). On TRON, energy has a fixed price and each call its own fee limit, so no price
 * is offered.
 */
export const GAS_BOUNDS: Readonly<Record<Network, GasBounds | null>> = {
  // OP stack: the base fee is nearly always far below a gwei; tips start at 0.001. Source: docs.optimism.io, "Fees".
  base: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  optimism: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  // The minimum is 25 gwei, by a rule for tips that will become a rule for the base fee. Source: PIP-59.
  polygon: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
  ethereum: { maxFeePerGasWei: 100n * GWEI, maxTipPerGasWei: 3n * GWEI },
  // At least 0.01 gwei; the sequencer keeps the order of arrival and takes no tip. Source: docs.arbitrum.io, "Gas".
  arbitrum: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 100n },
  // The minimum base fee was 25 gwei for years, and has been 1 since December 2024. Source: Avalanche's ACP-125.
  avalanche: { maxFeePerGasWei: 150n * GWEI, maxTipPerGasWei: 5n * GWEI },
  // The base fee is 0; validators require at least 0.05 gwei, and required 3 until 2024. Source: docs.bnbchain.org,
  // "Gas price".
  bnb: { maxFeePerGasWei: 10n * GWEI, maxTipPerGasWei: 3n * GWEI },
  tron: null,
  // In USDC with 18 decimals: the base fee is 20 to 20,000 gwei, nearly always 20. Source: Arc's mainnet genesis.
  arc: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
}

/**
 * Maximum cost, in dollars, of a payout without staked energy. A charge or a sum below it costs more to pay out than it
 * is worth. `null` for networks on which a payout costs cents.
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
 * `null` means that the configuration must set the minimum: one payment costs up to three dollars there (ethereum at 10
 * gwei), which no operator should pay by accident.
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
