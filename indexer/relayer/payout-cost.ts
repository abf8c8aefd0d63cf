import { keccak256, numberToHex, slice } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { DataFeeTerms, GasBounds } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { quoteFees } from './gas-fees.ts'
import { quoteDataFee } from './quote-data-fee.ts'

/**
 * Gas of a payout to seven recipients that deploys its split. Measured: at most 219,272 (contracts/test/gas.t.sol,
 * November 2026).
 */
const GAS_PER_PAYOUT = 220_000n
/**
 * Number of payouts, or of payments by signature, that an account's balance should cover at the current price. If the
 * balance covers fewer, the operator should fund the account.
 */
export const LOW_BALANCE_PAYOUTS = 100n

export type CostBounds = { readonly gasBounds: GasBounds; readonly dataFee: DataFeeTerms }

/**
 * Returns the current maximum cost, in wei, of a payout to seven recipients that deploys its split: gas at the current
 * price and, on chains that charge for it, the posting of the call's bytes to the parent chain. Our bounds limit the
 * result.
 *
 * @throws {NoQuorumError} if no node responds
 */
export async function readPayoutCost(nodes: ChainNodes, terms: CostBounds): Promise<bigint> {
  return readCallCost(nodes, { ...terms, call: TYPICAL_PAYOUT })
}

/**
 * Returns the current maximum cost of a call, in wei, within our bounds.
 *
 * @throws {NoQuorumError} if no node responds
 */
export async function readCallCost(
  nodes: ChainNodes,
  { gasBounds, dataFee, call }: CostBounds & { readonly call: TypicalCall },
): Promise<bigint> {
  const { maxFeePerGas: pricePerGasWei } = await quoteFees(nodes, gasBounds)
  const posting = await quoteDataFee(nodes, { terms: dataFee, call, pricePerGasWei })
  return (call.gas + posting.gas) * pricePerGasWei + posting.besideWei
}

/** Returns a pseudorandom address, because the posting fee depends on how well the bytes compress. */
export function sampleAddress(index: number): Address {
  const address = parseEvmAddress(slice(keccak256(numberToHex(index)), 12))
  invariant(address !== null, 'twenty bytes are an address')
  return address
}

/** A call of typical size, with its maximum gas. */
export type TypicalCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

const TYPICAL_PAYOUT: TypicalCall = {
  to: SPLIT_FACTORY,
  data: encodeDistribution({
    split: {
      recipients: Array.from({ length: 7 }, (_, index) => sampleAddress(index)),
      allocations: [400_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000],
      totalAllocation: 1_000_000,
      distributionIncentive: 1_000,
    },
    salt: keccak256('0x'),
    token: sampleAddress(7),
    distributor: sampleAddress(8),
  }),
  gas: GAS_PER_PAYOUT,
}
