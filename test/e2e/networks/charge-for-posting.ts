import type { TestClient } from 'viem'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { DataFeeModel, Network } from '../../../shared/domain/networks.ts'
import { setGasPriceOracle, setNodeInterface } from '../../support/data-fee-oracles.ts'

/** Price per byte at which 900 bytes cost 0.00000002 ether, as on a network with little traffic. */
const WEI_PER_BYTE = 22_000_000n
/** Gas for posting a payout on arbitrum, where posting and execution have the same gas price. */
const POSTING_GAS = 5_000n

const ORACLES: Readonly<Record<DataFeeModel, (node: TestClient) => Promise<void>>> = {
  none: () => Promise.resolve(),
  'op-stack': (node) => setGasPriceOracle(node, { weiPerByte: WEI_PER_BYTE, operatorWei: 0n }),
  arbitrum: (node) => setNodeInterface(node, { gas: POSTING_GAS }),
}

/** Makes a local chain report the cost of posting data to L1, as the real network does. */
export function chargeForPosting(network: Network, node: TestClient): Promise<void> {
  return ORACLES[REGISTRY[network].dataFee.model](node)
}
