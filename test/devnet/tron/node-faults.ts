/** Faults and quirks of a TRON node. All are disabled by default. */
export type NodeFaults = {
  /** Percentage of requests that are rejected with HTTP 200 and without a JSON-RPC envelope. */
  refusedPercent: number
  /** Number of blocks by which the reported head lags behind the chain. */
  lagBlocks: number
  /** Runs once before the next response to a log query. */
  beforeLogs: (() => Promise<void>) | null
  /** Whether responses contain nulls where Ethereum has numbers, as in older versions. */
  hasNullFields: boolean
  /** Whether simulated calls return no logs, as in older versions. */
  hidesTriedLogs: boolean
  /** Staked energy that the node reports for every account. It does not reduce any fee here. */
  stakedEnergy: number
  /** Number of blocks by which `/walletsolidity` lags behind the solidified block. */
  solidLagBlocks: number
  /** Whether `/jsonrpc` has lost the logs of every transaction (java-tron #4987). The other API still has them. */
  losesLogs: boolean
  /** Whether the node adds no blocks by itself, only on request, such as `/control/mine`. */
  standsStill: boolean
  /** Number of accepted transactions that the node will drop. */
  drops: number
  /** Returns whether the node drops an accepted transaction. If it does, decrements `drops`. */
  readonly takesDrop: () => boolean
}

/** Creates the settings of a node without faults. */
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
