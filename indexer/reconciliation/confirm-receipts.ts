import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { SCANS } from './families.ts'
import { askAbout, findConfirmed, isAlike } from './second-account.ts'

/**
 * Answers those of these deep receipts that may be recorded: all of them, or, where nodes have another API than the one
 * that showed them, those of which that tells alike at nodes enough (`findConfirmed`). The others are left out; the feed or a
 * later look may bring them.
 */
export async function confirmReceipts(
  nodes: readonly ChainNode[],
  { network, receipts }: { readonly network: Network; readonly receipts: readonly PlacedReceipt[] },
): Promise<readonly PlacedReceipt[]> {
  const { family } = REGISTRY[network]
  if (!FAMILIES[family].isConfirmedApart) return receipts
  const confirmed = await Promise.all(
    receipts.map(async (receipt) => ((await isTold(receipt, { nodes, network })) ? [receipt] : [])),
  )
  return confirmed.flat()
}

async function isTold(
  receipt: PlacedReceipt,
  question: { readonly nodes: readonly ChainNode[]; readonly network: Network },
): Promise<boolean> {
  const { sourceOf } = SCANS[REGISTRY[question.network].family]
  const answers = await Promise.allSettled(
    question.nodes.map(async (node) => ({ node, told: await askAbout(sourceOf(node), receipt) })),
  )
  const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const confirmed = await findConfirmed(told, question)
  return confirmed !== null && isAlike(confirmed.receipt, receipt)
}
