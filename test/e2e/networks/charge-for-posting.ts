import type { TestClient } from 'viem'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { DataFeeModel, Network } from '../../../shared/domain/networks.ts'
import { setGasPriceOracle, setNodeInterface } from '../../support/data-fee-oracles.ts'

/** 900 bytes for 0.00000002 ether, as in quiet hours. */
const WEI_PER_BYTE = 22_000_000n
/** Of a payout's posting on arbitrum, whose price is that of all gas. */
const POSTING_GAS = 5_000n

const ORACLES: Readonly<Record<DataFeeModel, (node: TestClient) => Promise<void>>> = {
  none: () => Promise.resolve(),
  'op-stack': (node) => setGasPriceOracle(node, { weiPerByte: WEI_PER_BYTE, operatorWei: 0n }),
  arbitrum: (node) => setNodeInterface(node, { gas: POSTING_GAS }),
}

/** From here on a local chain says what posting to the chain below it costs, as its network does. */
export function chargeForPosting(network: Network, node: TestClient): Promise<void> {
  return ORACLES[REGISTRY[network].dataFee.model](node)
}
