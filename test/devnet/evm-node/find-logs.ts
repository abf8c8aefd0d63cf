import type { Hex } from 'viem'

import type { NodeLog } from './block.ts'
import { type LoggedBlock, type PresentedLog, presentLogs } from './present.ts'

/** Filter of `eth_getLogs` for the logs of a block. */
export type LogQuery = {
  readonly address?: Hex | readonly Hex[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

/** Returns the matching logs of these blocks, in chain order. */
export function findLogs(blocks: readonly LoggedBlock[], query: LogQuery): readonly PresentedLog[] {
  const addresses = query.address === undefined ? null : lowerAll(query.address)
  const topics = (query.topics ?? []).map((topic) => (topic === null ? null : lowerAll(topic)))
  const matches = (log: NodeLog) =>
    (addresses === null || addresses.includes(log.address)) &&
    topics.every(
      (topic, place) => topic === null || (place in log.topics && topic.includes(log.topics[place] ?? '0x')),
    )
  return blocks.flatMap((block) =>
    block.transactions.flatMap((transaction, index) =>
      presentLogs({ block, index, transaction }).filter(matches),
    ),
  )
}

function lowerAll(values: Hex | readonly Hex[]): readonly Hex[] {
  return [values].flat().map((value) => value.toLowerCase() as Hex)
}
