import type { DataFeeModel } from '../../domain/networks.ts'
import type { ChainClient } from '../nodes/client.ts'
import { readArbitrumDataFee } from './arbitrum.ts'
import type { DataFee, PostedCall } from './data-fee.ts'
import { readOpStackDataFee } from './op-stack.ts'

/** Data fee of a chain that posts no data to a parent chain. */
export const NO_DATA_FEE: DataFee = { gas: 0n, besideWei: 0n }

type Read = (client: ChainClient, call: PostedCall) => Promise<DataFee>

const READS: Readonly<Record<DataFeeModel, Read>> = {
  none: () => Promise.resolve(NO_DATA_FEE),
  'op-stack': readOpStackDataFee,
  arbitrum: readArbitrumDataFee,
}

/**
 * Returns the current cost of posting a call. If the contract that reports the cost does not exist, returns zero,
 * because the chain is then a local chain that stands in for an L2.
 *
 * @throws {BaseError} from viem if no node responds, or a node returns no number
 */
export function readDataFee(client: ChainClient, model: DataFeeModel, call: PostedCall): Promise<DataFee> {
  return READS[model](client, call)
}
