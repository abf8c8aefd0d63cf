import type { DataFee, PostedCall } from '../../shared/chain/data-fee/data-fee.ts'
import { NO_DATA_FEE, readDataFee } from '../../shared/chain/data-fee/read-data-fee.ts'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import { withGasMargin } from '../../shared/chain/simulate.ts'
import type { DataFeeTerms } from '../../shared/domain/networks.ts'
import { lowerMedian } from './lower-median.ts'

/** What posting a call costs at most, cut at what we pay for it, and whether that is enough now. */
export type DataFeeQuote = DataFee & { readonly isWithinBound: boolean }

/** What posting is bounded by: its terms, and what we offer for a unit of gas, in wei. */
export type DataFeeBound = Pick<DataFeeTerms, 'maxWei'> & { readonly pricePerGasWei: bigint }

/**
 * Asks each node what posting a call to the chain below costs.
 *
 * @param nodes - of one chain; silent nodes are left out
 * @throws {NoQuorumError} if no node responds
 */
export async function quoteDataFee(
  nodes: ChainNodes,
  {
    terms,
    call,
    pricePerGasWei,
  }: { readonly terms: DataFeeTerms; readonly call: PostedCall; readonly pricePerGasWei: bigint },
): Promise<DataFeeQuote> {
  if (terms.model === 'none') return { ...NO_DATA_FEE, isWithinBound: true }
  const { model, maxWei } = terms
  const read = ({ client }: ChainNode) => readDataFee(client, model, call)
  const fees = await queryValues(nodes, { subject: 'the price of posting', read })
  return chooseDataFee(fees, { maxWei, pricePerGasWei })
}

/**
 * Chooses the fee by what several nodes say, any of which may lie. Pure.
 *
 * It is the median, of two the lower one: a single node can neither stop what others find cheap, nor make it look dearer
 * than our bound. One that names too little gains nothing: what is taken is the protocol's own reckoning.
 *
 * @param fees - not empty
 */
export function chooseDataFee(
  fees: readonly DataFee[],
  { maxWei, pricePerGasWei }: DataFeeBound,
): DataFeeQuote {
  const { gas } = lowerMedian(fees, (fee) => fee.gas)
  const { besideWei } = lowerMedian(fees, (fee) => fee.besideWei)
  const isWithinBound = besideWei + gas * pricePerGasWei <= maxWei
  if (isWithinBound) return { gas, besideWei, isWithinBound }
  const mostGas = pricePerGasWei === 0n ? 0n : maxWei / pricePerGasWei
  return {
    gas: gas < mostGas ? gas : mostGas,
    besideWei: besideWei < maxWei ? besideWei : maxWei,
    isWithinBound,
  }
}

/** Answers the most gas that a call may take: what we allow for running it, and what its posting takes besides. */
export function gasLimitOf(maxGas: bigint, { gas }: DataFee): bigint {
  return maxGas + withGasMargin(gas)
}
