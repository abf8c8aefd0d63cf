import { erc20Abi } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { createDaemonPacers } from '../transport/daemon-pacers.ts'
import { createFilterTransport } from '../transport/filter-transport.ts'
import { readFeedSettings } from './feed-settings.ts'
import { createConfig } from './ponder-library.ts'
import { sendPort } from './send-port.ts'

// One process watches one deployment, so that a dead node stops only one chain, and each chain has its own build id.
const feed = readFeedSettings(process.env)
sendPort(process)

export default createConfig({
  ordering: 'multichain',
  database: { kind: 'postgres', connectionString: feed.databaseUrl, poolConfig: { max: 6 } },
  chains: {
    chain: {
      id: feed.chainId,
      rpc: createFilterTransport({ ...feed, pacerOf: createDaemonPacers(process, feed.limitedUrls) }),
      pollingInterval: feed.pollingIntervalMs,
    },
  },
  contracts: {
    Token: {
      chain: 'chain',
      abi: erc20Abi,
      address: [...feed.emitters],
      startBlock: feed.startBlock,
    },
    // Accepts any emitter. The transport keeps only the logs of our own splits.
    Split: {
      chain: 'chain',
      abi: paymentSplitAbi,
      startBlock: feed.startBlock,
    },
  },
})
