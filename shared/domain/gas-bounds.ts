import type { GasBounds, Network } from './networks.ts'

const GWEI = 10n ** 9n

/**
 * The most we pay for a unit of gas, and the most of it as a tip, in wei of each network's coin.
 *
 * A node names both prices, and may lie: the base fee is the protocol's, so that a maximum above it costs nothing, but a
 * tip is paid as it is offered. The judgement is ours, of November 2026: a payout to seven recipients takes 220,000 gas
 * (.gas-snapshot), so a lie costs cents at most (bnb: half a dollar, since all of its price is a tip), and the maximum
 * leaves room for the dearest hours there were. Above it a payout waits. What posting to L1
 * costs on L2s has a bound of its own (data-fees.ts). On TRON energy has a fixed price and a call its own fee limit: there is nothing to offer.
 */
export const GAS_BOUNDS: Readonly<Record<Network, GasBounds | null>> = {
  // OP stack: the base fee is far below a gwei but for hours, tips begin at 0.001. Source: docs.optimism.io, "Fees".
  base: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  optimism: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 10n },
  // 25 gwei are the least, by a rule for tips that is to become one for the base fee. Source: PIP-59.
  polygon: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
  ethereum: { maxFeePerGasWei: 100n * GWEI, maxTipPerGasWei: 3n * GWEI },
  // At least 0.01 gwei; the sequencer keeps to the order of arrival and takes no tip. Source: docs.arbitrum.io, "Gas".
  arbitrum: { maxFeePerGasWei: 5n * GWEI, maxTipPerGasWei: GWEI / 100n },
  // The least base fee was 25 gwei for years, and is 1 since December 2024. Source: Avalanche's ACP-125.
  avalanche: { maxFeePerGasWei: 150n * GWEI, maxTipPerGasWei: 5n * GWEI },
  // The base fee is 0; validators take 0.05 gwei or more, and took 3 until 2024. Source: docs.bnbchain.org, "Gas price".
  bnb: { maxFeePerGasWei: 10n * GWEI, maxTipPerGasWei: 3n * GWEI },
  tron: null,
  // In USDC of 18 decimals: the base fee is 20 to 20,000 gwei, 20 nearly always. Source: Arc's mainnet genesis.
  arc: { maxFeePerGasWei: 2_000n * GWEI, maxTipPerGasWei: 100n * GWEI },
}

/**
 * Dollars that a payout costs at most where that is more than cents, without a stake: a charge or a sum below it costs
 * more to pay out than it is worth. `null` where a payout costs cents.
 *
 * TRON: 700,000 energy at 100 sun and 1,200 bytes at 1,000 sun are 71.2 TRX (indexer/relayer/tron/watch-funds.ts), at
 * 0.30 dollars (November 2026).
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
 * The least that is paid by signature on each network, in dollars, unless configuration says otherwise: our gas for it is
 * 200,000 at most. `null`: configuration must say, because it cost up to three dollars there (ethereum at 10 gwei), which
 * nobody should pay by accident.
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
