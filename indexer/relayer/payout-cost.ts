import { keccak256, numberToHex, slice } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { DataFeeTerms, GasBounds } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { quoteFees } from './gas-fees.ts'
import { quoteDataFee } from './quote-data-fee.ts'

/** A payout to seven recipients that deploys its split takes 219,272 gas (.gas-snapshot, measured November 2026). */
const GAS_PER_PAYOUT = 220_000n
/** With less than this many payouts, or payments by signature, left at today's price, somebody should fill the account up. */
export const LOW_PAYOUTS = 100n

/** What bounds the cost of a call on one chain. */
export type CostTerms = { readonly gasBounds: GasBounds; readonly dataFee: DataFeeTerms }

/**
 * Answers what a payout to seven recipients that deploys its split costs now at most, in wei: its gas, and the posting of
 * its bytes where that is charged. Never above our bounds, whatever the nodes say.
 *
 * @param nodes - of one chain; silent nodes are left out
 * @throws {NoQuorumError} if no node responds
 */
export async function readPayoutCost(nodes: ChainNodes, terms: CostTerms): Promise<bigint> {
  return readCallCost(nodes, { ...terms, call: TYPICAL_PAYOUT })
}

/**
 * Answers what a call costs now at most, in wei, by the same.
 *
 * @param nodes - of one chain; silent nodes are left out
 * @throws {NoQuorumError} if no node responds
 */
export async function readCallCost(
  nodes: ChainNodes,
  { gasBounds, dataFee, call }: CostTerms & { readonly call: TypicalCall },
): Promise<bigint> {
  const { maxFeePerGas: pricePerGasWei } = await quoteFees(nodes, gasBounds)
  const posting = await quoteDataFee(nodes, { terms: dataFee, call, pricePerGasWei })
  return (call.gas + posting.gas) * pricePerGasWei + posting.besideWei
}

/** Addresses as if by chance: what posting costs goes by how well the bytes can be compressed. */
export function accountOf(index: number): Address {
  const address = parseEvmAddress(slice(keccak256(numberToHex(index)), 12))
  invariant(address !== null, 'twenty bytes are an address')
  return address
}

/** As it is posted, and the gas that it takes at most. */
export type TypicalCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

const TYPICAL_PAYOUT: TypicalCall = {
  to: SPLIT_FACTORY,
  data: encodeDistribution({
    split: {
      recipients: Array.from({ length: 7 }, (_, index) => accountOf(index)),
      allocations: [400_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000],
      totalAllocation: 1_000_000,
      distributionIncentive: 1_000,
    },
    salt: keccak256('0x'),
    token: accountOf(7),
    distributor: accountOf(8),
  }),
  gas: GAS_PER_PAYOUT,
}
