/** Faults and quirks of a TRON node. All are disabled by default. */
export type NodeFaults = {
  /** Percentage of requests rejected with HTTP 200 and `{"Error": …}`. */
  refusedPercent: number
  /** Number of blocks by which the head that `/jsonrpc` reports lags behind the chain. */
  lagBlocks: number
  /** Called once, before the next response to `eth_getLogs`. */
  beforeLogs: (() => Promise<void>) | null
  /** Whether responses contain nulls where Ethereum has numbers, as in older versions. */
  hasNullFields: boolean
  /** Whether simulated calls return no logs, as in older versions. */
  hidesTriedLogs: boolean
  /** Staked energy that the node reports for every account. It does not reduce any fee here. */
  stakedEnergy: number
  /** Number of blocks by which `/walletsolidity` lags behind the solidified block. */
  solidLagBlocks: number
  /** Whether `eth_getLogs` and `eth_getTransactionReceipt` omit all logs (java-tron #4987). `/wallet` returns them. */
  losesLogs: boolean
  /** Whether the node mines no blocks at its interval, only on request, such as `/control/mine`. */
  standsStill: boolean
  /** Number of accepted transactions that the node will drop instead of mining. */
  drops: number
  /** Returns whether to drop the next transaction, and if so, decrements `drops`. */
  readonly takesDrop: () => boolean
}

export function createNodeFaults(): NodeFaults {
  const habits: NodeFaults = {
    ...{ refusedPercent: 0, lagBlocks: 0, beforeLogs: null, hasNullFields: false, drops: 0 },
    ...{ hidesTriedLogs: false, stakedEnergy: 0, losesLogs: false, solidLagBlocks: 0, standsStill: false },
    takesDrop: () => {
      if (habits.drops === 0) return false
      habits.drops -= 1
      return true
    },
  }
  return habits
}
