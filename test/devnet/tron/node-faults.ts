/** What a node of TRON does to those who ask it; all of it off until it is switched on. */
export type NodeFaults = {
  /** Of a hundred requests so many are refused with HTTP 200 and no envelope. */
  refusedPercent: number
  /** So many blocks it is behind what it has. */
  lagBlocks: number
  /** Runs once before the next answer of logs. */
  beforeLogs: (() => Promise<void>) | null
  /** Older versions answer nulls where Ethereum has numbers. */
  hasNullFields: boolean
  /** Older versions do not show what a call would log that is only tried. */
  hidesTriedLogs: boolean
  /** What every account's stake gives it; here it pays for nothing. */
  stakedEnergy: number
  /** So many blocks its `/walletsolidity` is behind what is solid. */
  solidLagBlocks: number
  /** At `/jsonrpc` it has lost the logs of every transaction (java-tron #4987); the other API has them. */
  losesLogs: boolean
  /** It makes no block but by `/control/mine`. */
  standsStill: boolean
  /** So many of the transactions that it took in it forgets. */
  drops: number
  /** Whether one of them is forgotten now. */
  readonly takesDrop: () => boolean
}

/** Makes a node without bad days. */
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
