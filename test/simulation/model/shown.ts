import type { Hex } from '../../../shared/domain/address.ts'
import { type Block, blocksFrom, type ModelLog, type Receipt } from './chain.ts'
import type { ModelNode } from './model-node.ts'
import { presentLog, presentReceipt } from './present.ts'

type Shower = Pick<ModelNode, 'mode' | 'url'>

/** Returns the last block that a node shows: the one that it has, or what its lie makes of that. */
export function shownHead({ head, lie }: Pick<ModelNode, 'head' | 'lie'>): Block {
  return lie === null ? head : lie.show(head)
}

/** What a node shows of a transaction's logs; of two that show some, what one leaves out the other has. */
export function shownLogs(node: Shower, { transaction: { hash }, logs }: Receipt): readonly ModelLog[] {
  if (isLeftOut(node, hash)) return []
  return node.mode === 'gappy' ? logs.filter((_, at) => !isOthers(node, hash, at)) : logs
}

/** Whether a node leaves out that there was such a transaction. */
export function isLeftOut(node: Shower, hash: Hex): boolean {
  return node.mode === 'partial' ? isOthers(node, hash, 0) : node.mode === 'omitting'
}

/** By a digit of the hash: without end, for a transaction may log more than that has digits. */
function isOthers({ url }: Shower, hash: Hex, at: number): boolean {
  const isOdd = Number.parseInt(hash.at(-1 - (at % 64)) ?? '', 16) % 2 === 1
  return isOdd === url.includes('node-0')
}

/** What `eth_getLogs` is asked for. */
export type Filter = {
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly address?: Hex | readonly Hex[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

/** Lists the logs that a node shows of a range. */
export function listLogs(
  node: ModelNode,
  { fromBlock, toBlock, address, topics = [] }: Filter,
): readonly object[] {
  const head = shownHead(node)
  if (Number(toBlock) > head.number) return []
  const addresses = address === undefined ? null : [address].flat().map((one) => one.toLowerCase())
  return blocksFrom(head, Number(fromBlock))
    .filter(({ number }) => number <= Number(toBlock))
    .flatMap((block) =>
      block.receipts.flatMap((receipt) =>
        shownLogs(node, receipt)
          .filter((log) => addresses === null || addresses.includes(log.address))
          .filter((log) => topics.every((wanted, at) => isWanted(log.topics[at], wanted)))
          .map((log) => presentLog(log, { block, hash: receipt.transaction.hash })),
      ),
    )
}

function isWanted(topic: Hex | undefined, wanted: Hex | readonly Hex[] | null): boolean {
  return wanted === null || [wanted].flat().some((one) => one === topic)
}

/** Returns the receipt that a node shows of a transaction; `null` if it shows none. */
export function findReceiptOf(node: ModelNode, hash: Hex): object | null {
  if (isLeftOut(node, hash)) return null
  for (let block: Block | null = shownHead(node); block !== null; block = block.parent) {
    const receipt = block.receipts.find(({ transaction }) => transaction.hash === hash)
    if (receipt !== undefined) return presentReceipt({ ...receipt, logs: shownLogs(node, receipt) }, block)
  }
  return null
}
